import type { PlatformFailure } from "#src/channels/platform-failure.ts";

/** Seconds before each further attempt at what a platform did not take; after the last it is given up. */
const PAUSES = [1, 5, 30, 120, 300] as const;
/** A platform that asks for more patience has refused. */
const MAX_PAUSE_SECONDS = 3_600;

/**
 * Seconds until a call that failed is tried again; undefined when it is given up. `attemptsBefore` counts the attempts before
 * the one that failed. `spread` multiplies our pause. The pause that the platform asks for is never shortened.
 */
export function retryPause(
  { isPassing, retryAfterSeconds = 0 }: PlatformFailure,
  attemptsBefore: number,
  { spread = 1 } = {},
): number | undefined {
  const pause = PAUSES[attemptsBefore];
  if (!isPassing || pause === undefined || retryAfterSeconds > MAX_PAUSE_SECONDS) return undefined;
  return Math.max(retryAfterSeconds, pause * spread);
}
