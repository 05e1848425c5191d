import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { plural } from "../../parts/numbers.ts";
import { Pager } from "../../parts/pager.tsx";
import { stale } from "../../service/reads.ts";
import { inZone } from "./next-runs.tsx";
import { targetName } from "./deliver-fields.tsx";
import { names, RUNS, useRuns } from "./reads.ts";

const STATES = {
  enqueued: "Starting",
  waiting: "Waiting for the previous run",
  running: "Running",
  success: "Done",
  failed: "Failed",
  skipped: "Skipped",
} as const;
const DELIVERED = {
  delivered: "delivered",
  pending: "not sent yet",
  failed: "not sent",
  in_app: "delivered",
} as const;

/** The runs of a schedule, newest first: how each ended, why it failed, and what became of its answer. */
export function ScheduleRuns({ schedule }: { schedule: api.Schedule }) {
  const [page, setPage] = useState(1);
  return (
    <section aria-label="Runs">
      <h2>Runs</h2>
      <button type="button" onClick={() => stale(names.schedule(schedule.id))}>
        Refresh
      </button>
      <Loaded of={useRuns(schedule, page)}>
        {(found) => (
          <>
            {found.length === 0 && (
              <p class="muted">No runs in the last 90 days. Run it now, or wait for its time.</p>
            )}
            <ul class="list">
              {found.map((run) => (
                <RunLine key={run.id} run={run} schedule={schedule} />
              ))}
            </ul>
            <Pager page={page} hasMore={found.length === RUNS} go={setPage} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function RunLine({ run, schedule }: { run: api.ScheduleRun; schedule: api.Schedule }) {
  const { scheduled_for, created_at, status, error, task_id, silent, missed, late, deliveries } = run;
  return (
    <li>
      <span>{scheduled_for === null ? "Run by hand" : inZone(scheduled_for, schedule.timezone)}</span>
      <span class="muted small">
        <Moment at={created_at} />
        {late && " · late"}
        {missed > 0 && ` · stands in for ${plural(missed, "missed run")}`}
      </span>
      <span class={`outcome ${status === "failed" ? "failed" : ""}`}>
        {STATES[status]}
        {error !== null && `: ${error}`}
        {silent && " · no answer sent"}
      </span>
      {task_id !== null && <Link href={`/runs/${task_id}`}>Open task</Link>}
      {deliveries.map((delivery) => (
        <span key={delivery.target} class="small">
          {targetName(delivery.target, schedule)}: {DELIVERED[delivery.status]}
          {delivery.error !== null && `, ${delivery.error}`}
        </span>
      ))}
    </li>
  );
}
