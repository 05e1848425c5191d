/** Milliseconds after a schedule's moment before it is read: the run is stored by then. */
const AFTER_MS = 2_000;
/** Most often that a schedule whose moment is over is read, as it may be late. */
const LATE_MS = 5_000;
/** A timer that is longer than this would end at once. */
const LONGEST_MS = 24 * 60 * 60 * 1_000;

/** Milliseconds until a schedule has to be read again, as its next run is due; false while none is near. */
export function readAgainIn(nextRunAt: string | null | undefined, now: number): number | false {
  if (nextRunAt === null || nextRunAt === undefined) return false;
  const ms = Date.parse(nextRunAt) + AFTER_MS - now;
  return ms <= LONGEST_MS && Math.max(LATE_MS, ms);
}
