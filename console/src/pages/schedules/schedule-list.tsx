import type { api } from "@agent-workspace/client";
import { CalendarClock } from "lucide-preact";
import { Link } from "wouter-preact";
import { stateWord } from "../../parts/badge.tsx";
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
          Run a prompt at set times and get the answer in a chat or a channel.{" "}
          <a href="/guide/schedules">Read the guide</a>
        </>
      }
      make={{ href: "/schedules/new", name: "New schedule" }}
      of={useSchedules()}
      icon={CalendarClock}
      none={{
        title: "No schedules yet",
        about: "Let the agent check, report or tidy up while you are away.",
      }}
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
        {next_run_at === null ? statusOf(schedule) : `Next ${inZone(next_run_at, timezone)}`}
      </span>
      {last_status !== null && <span class="small">last run: {stateWord(last_status)}</span>}
      {last_error !== null && <span class="small outcome failed">{last_error}</span>}
    </li>
  );
}

/** Whether a schedule runs, in words. */
export function statusOf({ is_active, next_run_at, paused_reason, runs_completed }: api.Schedule): string {
  if (is_active) return next_run_at === null ? "No further runs" : "Active";
  if (paused_reason !== null) return `Paused: ${paused_reason}`;
  return next_run_at === null && runs_completed > 0 ? "Ended" : "Paused";
}
