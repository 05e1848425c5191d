import type { api } from "@agent-workspace/client";
import { Link } from "wouter-preact";
import { Collection } from "../../parts/collection.tsx";
import { inZone } from "./next-runs.tsx";
import { useSchedules } from "./reads.ts";

/** All schedules of the person. */
export function ScheduleList() {
  return (
    <Collection
      title="Schedules"
      about={
        <>
          A schedule runs a prompt on a clock and delivers the answer. See{" "}
          <a href="/guide/schedules">schedules</a> in the guide.
        </>
      }
      make={{ href: "/schedules/new", name: "New schedule" }}
      of={useSchedules()}
      none="No schedule yet: make the first one."
    >
      {(schedule) => <ScheduleLine key={schedule.id} schedule={schedule} />}
    </Collection>
  );
}

function ScheduleLine({ schedule }: { schedule: api.Schedule }) {
  const { id, name, description, timezone, next_run_at, last_status, last_error } = schedule;
  return (
    <li>
      <Link href={`/schedules/${id}`}>{name}</Link>
      <span class="muted small">{description}</span>
      <span class="small">
        {next_run_at === null ? statusOf(schedule) : `next ${inZone(next_run_at, timezone)}`}
      </span>
      {last_status !== null && <span class="small">last: {last_status.replace("_", " ")}</span>}
      {last_error !== null && <span class="small outcome failed">{last_error}</span>}
    </li>
  );
}

/** Whether a schedule runs, in words. */
export function statusOf({ is_active, next_run_at, paused_reason, runs_completed }: api.Schedule): string {
  if (is_active) return next_run_at === null ? "has no further run" : "active";
  if (paused_reason !== null) return `paused by the service: ${paused_reason}`;
  return next_run_at === null && runs_completed > 0 ? "ended or paused" : "paused";
}
