import { clockNote } from "./clock-note.ts";
import { describeTiming } from "./describe-timing.ts";
import { nextRun } from "./next-run.ts";
import { parseSchedule } from "./parse-schedule.ts";
import { requireTimezone } from "./zones.ts";

/** What a schedule's text comes to. */
export interface Preview {
  description: string;
  normalized: string;
  timezone: string;
  /** The next moments; fewer than asked for when no more come. */
  moments: Date[];
  /** What the moments do not say by themselves; see `clockNote`. */
  note: string | null;
}

/** Reads a text as a schedule that is made now would. Throws as `parseSchedule` and `requireTimezone` do. */
export function previewSchedule(
  text: string,
  { timezone, now, count }: { timezone: string; now: Date; count: number },
): Preview {
  const zone = requireTimezone(timezone);
  const { timing, normalized } = parseSchedule(text, { timezone: zone, now });
  const moments: Date[] = [];
  for (let after = now; moments.length < count;) {
    const next = nextRun(timing, { timezone: zone, after, anchor: now });
    if (!next) break;
    moments.push(next);
    after = next;
  }
  const note = clockNote(timing, zone, moments);
  return { description: describeTiming(timing, zone), normalized, timezone: zone, moments, note };
}
