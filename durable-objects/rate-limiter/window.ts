import type { RateDecision } from "./protocol.ts";

/** At most `capacity` in any stretch of `windowMs` milliseconds. */
interface Window {
  capacity: number;
  windowMs: number;
}

/** Whether a call admitted at this time still counts. Times are milliseconds since the epoch. */
export function stillCounts(at: number, { windowMs }: Pick<Window, "windowMs">, now: number): boolean {
  return at > now - windowMs;
}

/** Decides whether one more call is allowed, given the times of those that still count, oldest first. */
export function decide(
  admitted: readonly number[],
  { capacity, windowMs }: Window,
  now: number,
): RateDecision {
  const allowed = admitted.length < capacity;
  const secondsUntilGone = (at = now) => Math.max(1, Math.ceil((at + windowMs - now) / 1000));
  return {
    allowed,
    limit: capacity,
    remaining: Math.max(0, capacity - admitted.length - 1),
    resetSeconds: secondsUntilGone(allowed ? now : admitted.at(-1)),
    // The next call is allowed when only `capacity - 1` are left; after a lowered limit that is later than the oldest
    // one's end.
    retryAfterSeconds: allowed ? 0 : secondsUntilGone(admitted.at(-capacity)),
  };
}
