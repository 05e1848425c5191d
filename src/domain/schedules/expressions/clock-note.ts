// What a schedule's next runs do not say by themselves.
import { counted } from "#src/lib/counted.ts";
import { isWhole, readCron } from "./cron-fields.ts";
import type { Timing } from "./timing.ts";
import { localTime } from "./zones.ts";

const HOUR_MS = 3_600_000;

/**
 * A sentence about the pause between two runs around a change of the clock, and about an interval, whose cron fields say
 * something else. Null where the runs are as a person expects.
 */
export function clockNote(timing: Timing, timezone: string, moments: readonly Date[]): string | null {
  if (timing.kind === "interval") {
    return "It counts real time from when the schedule is made, also where the clock changes.";
  }
  // What runs in every hour keeps its pace.
  if (timing.kind === "once" || isWhole("hours", readCron(timing.cron))) return null;
  for (const [at, next] of moments.slice(1).entries()) {
    const last = moments[at] ?? next;
    const real = next.getTime() - last.getTime();
    const [from, to] = [localTime(last.getTime(), timezone), localTime(next.getTime(), timezone)];
    if (to - from === real) continue;
    return (
      `The clock of ${timezone} changes between the runs of ${shown(from)} and ${shown(to)}: ` +
      `the pause between them is ${duration(real)}.`
    );
  }
  return null;
}

function shown(local: number): string {
  return new Date(local).toISOString().slice(0, 16).replace("T", " ");
}

function duration(ms: number): string {
  const hours = ms / HOUR_MS;
  return Number.isInteger(hours) ? counted(hours, "hour") : counted(ms / 60_000, "minute");
}
