// When a schedule runs next.
import { Cron } from "croner";
import { type CronFields, isWhole, readCron } from "./cron-fields.ts";
import { KeepNewest } from "./keep-newest.ts";
import type { Timing } from "./timing.ts";
import { canonicalZone, localTime, momentOf } from "./zones.ts";

const MINUTE_MS = 60_000;
const LEAST_LATE_MS = 120_000;
const MOST_LATE_MS = 7_200_000;
/** A clock takes 80 KB, for its table of years, and 0.05 ms to make; many schedules share one. */
const CLOCKS_KEPT = 64;
const PATTERNS_KEPT = 1024;

interface Pattern {
  /** For croner: lists of values, with an asterisk for a field that restricts nothing. */
  text: string;
  /** Whether hours are named, and so local times. */
  namesHours: boolean;
}

const patterns = new KeepNewest<Pattern>(PATTERNS_KEPT);
const clocks = new KeepNewest<Cron>(CLOCKS_KEPT);

/**
 * The first moment after `after` at which a schedule runs; undefined when there is none. An interval runs on the grid of its
 * anchor, however many of its slots were missed.
 *
 * What cron fields mean in a zone that changes its clock:
 * - Fields that name hours name local times, and each local time runs once: at its first occurrence when the clock goes back;
 *   at the first moment after the change when the clock goes forward over it, together with all others that it goes over.
 *   So `30 2 * * *` runs every day, once.
 * - Fields that let all 24 hours through name minutes of every hour that passes. They run in both passes of a repeated hour
 *   and make up for nothing in a skipped one, so that no pause of `0,15,30,45 * * * *` is longer than 15 minutes.
 *
 * Days of the month and weekdays are alternatives where both are restricted: `0 9 13 * 5` runs on each 13th and each Friday.
 */
export function nextRun(
  timing: Timing,
  { timezone, after, anchor }: { timezone: string; after: Date; anchor: Date },
): Date | undefined {
  if (timing.kind === "cron") return nextOfCron(timing.cron, timezone, after);
  if (timing.kind === "interval") {
    const intervalMs = timing.minutes * MINUTE_MS;
    const passed = Math.floor((after.getTime() - anchor.getTime()) / intervalMs);
    return new Date(anchor.getTime() + Math.max(1, passed + 1) * intervalMs);
  }
  const at = new Date(timing.at);
  return at > after ? at : undefined;
}

/**
 * How long after its slot a run is late: half the time between this slot and the next, at least two minutes and at most two
 * hours. Two hours for a schedule that does not run again.
 */
export function lateAfterMs(
  timing: Timing,
  { timezone, slot, anchor }: { timezone: string; slot: Date; anchor: Date },
): number {
  const next = nextRun(timing, { timezone, after: slot, anchor });
  if (!next) return MOST_LATE_MS;
  return Math.min(Math.max((next.getTime() - slot.getTime()) / 2, LEAST_LATE_MS), MOST_LATE_MS);
}

/**
 * Fields that name no hours are followed by croner in the zone. Those that name hours are followed on a clock without changes,
 * and the local times that it finds are put in the zone here: croner has the same rules for them, but drops a time that is left
 * out where the gap ends with the day, as at 23:00 in Nuuk.
 */
function nextOfCron(cron: string, timezone: string, after: Date): Date | undefined {
  const { text, namesHours } = patternOf(cron);
  if (!namesHours) return clockOf(text, canonicalZone(timezone)).nextRun(after) ?? undefined;
  const clock = clockOf(text, "UTC");
  let local = clock.nextRun(new Date(localTime(after.getTime(), timezone)));
  while (local) {
    const moment = new Date(momentOf(local.getTime(), timezone));
    // In the second pass of a repeated hour, what the hour names has run.
    if (moment > after) return moment;
    local = clock.nextRun(local);
  }
  return undefined;
}

/** `timezone` is a canonical name: croner keeps a formatter for every spelling that it sees. */
function clockOf(pattern: string, timezone: string): Cron {
  return clocks.of(`${timezone} ${pattern}`, () => new Cron(pattern, { mode: "5-part", timezone }));
}

function patternOf(cron: string): Pattern {
  return patterns.of(cron, () => {
    const fields = readCron(cron);
    const listed = (field: keyof CronFields): string =>
      isWhole(field, fields) ? "*" : fields[field].join(",");
    const hours = listed("hours");
    return {
      text: [listed("minutes"), hours, listed("days"), listed("months"), listed("weekdays")].join(" "),
      namesHours: hours !== "*",
    };
  });
}
