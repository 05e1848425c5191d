import type { api } from "@agent-workspace/client";
import { useRef } from "preact/hooks";
import { Link } from "wouter-preact";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Folded } from "../../parts/folded.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { number } from "../../parts/numbers.ts";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useLeadOn } from "../../parts/use-lead-on.ts";
import { reads, stale, useProjects } from "../../service/reads.ts";
import { useMayEdit } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";
import { targetName, targetsOf } from "./deliver-fields.tsx";
import { inZone } from "./next-runs.tsx";
import { names, useSchedule } from "./reads.ts";
import { ScheduleForm } from "./schedule-form.tsx";
import { statusOf } from "./schedule-list.tsx";
import { ScheduleRuns } from "./schedule-runs.tsx";

/** One schedule: when it runs, what it did, and its settings. */
export function SchedulePage({ schedule }: { schedule: string }) {
  return (
    <>
      <p class="small">
        <Link href="/schedules">Schedules</Link>
      </p>
      <Loaded title="Schedule" of={useSchedule(schedule)}>
        {(found) => (
          <>
            <Heading>{found.name}</Heading>
            <ScheduleStatus schedule={found} />
            <Steering schedule={found} />
            <Settings schedule={found} />
            <ScheduleRuns schedule={found} />
          </>
        )}
      </Loaded>
    </>
  );
}

function ScheduleStatus({ schedule }: { schedule: api.Schedule }) {
  const { data: projects = [] } = useProjects();
  const project = projects.find(({ id }) => id === schedule.project_id);
  const { timezone, next_run_at, last_error } = schedule;
  return (
    <>
      <dl class="facts">
        <dt>State</dt>
        <dd>{statusOf(schedule)}</dd>
        <dt>When</dt>
        <dd>{schedule.description}</dd>
        <dt>Next run</dt>
        <dd>{next_run_at === null ? "–" : inZone(next_run_at, timezone)}</dd>
        <dt>Project</dt>
        <dd>
          {project ? (
            <Link href={`/projects/${project.slug}`}>{project.name}</Link>
          ) : (
            "Deleted, or not visible to you"
          )}
        </dd>
        <dt>Sends to</dt>
        <dd>
          {targetsOf(schedule.deliver)
            .map((target) => targetName(target, schedule))
            .join(", ") || "the run’s chat"}
        </dd>
        <dt>Scheduled runs</dt>
        <dd>
          {number(schedule.runs_completed)}
          {schedule.repeat !== null && ` of ${number(schedule.repeat)}`}
        </dd>
      </dl>
      <pre class="wrapped" aria-label="Prompt" tabIndex={0}>
        {schedule.prompt_template}
      </pre>
      {last_error !== null && <p class="notice bad">{last_error}</p>}
    </>
  );
}

function Steering({ schedule: { id, name, is_active, project_id } }: { schedule: api.Schedule }) {
  const mayRun = useMayEdit(project_id ?? "");
  const leadOn = useLeadOn();
  const running = useAction(async () => {
    await workspace.schedules.trigger(id);
    stale(names.schedules);
  });
  const switching = useAction(async () => {
    await (is_active ? workspace.schedules.pause(id) : workspace.schedules.resume(id));
    stale(names.schedules);
  });
  return (
    <>
      <div class="row">
        {mayRun && (
          <button type="button" class="primary" disabled={running.isBusy} onClick={() => running.run()}>
            Run now
          </button>
        )}
        <button type="button" disabled={switching.isBusy} onClick={() => switching.run()}>
          {is_active ? "Pause" : "Resume"}
        </button>
        <AskFirst
          label="Delete schedule…"
          confirm="Delete schedule"
          title={`Delete ${name}?`}
          work={async () => {
            await workspace.schedules.delete(id);
            reads.removeQueries({ queryKey: names.schedule(id) });
            stale(names.schedules);
            leadOn("/schedules");
          }}
        >
          <p>The schedule and its list of runs are deleted. The chats stay.</p>
        </AskFirst>
      </div>
      {running.error !== undefined && <Refused error={running.error} />}
      {switching.error !== undefined && <Refused error={switching.error} />}
    </>
  );
}

function Settings({ schedule }: { schedule: api.Schedule }) {
  const details = useRef<HTMLDetailsElement>(null);
  return (
    <Folded summary="Settings" details={details}>
      <ScheduleForm
        key={schedule.updated_at}
        of={schedule}
        button="Save"
        save={async (wish) => {
          // The project of a schedule cannot be changed.
          const change: Partial<typeof wish> = { ...wish };
          delete change.project_id;
          await workspace.schedules.update(schedule.id, change);
          stale(names.schedules);
          if (details.current) details.current.open = false;
        }}
      />
    </Folded>
  );
}
