import type { PlatformFailure } from "#src/channels/platform-failure.ts";

/** Seconds before each further attempt at what a platform did not take; after the last it is given up. */
export const RETRY_PAUSES = [1, 5, 30, 120, 300] as const;
/** A platform that asks for more patience has refused. */
const MAX_PAUSE_SECONDS = 3_600;

/** Whether the same call may succeed later. */
export function isWorthRetrying({ isPassing, retryAfterSeconds = 0 }: PlatformFailure): boolean {
  return isPassing && retryAfterSeconds <= MAX_PAUSE_SECONDS;
}

/**
 * Seconds until a call that failed is tried again; undefined when it is given up. `attemptsBefore` counts the attempts before
 * the one that failed. The pause that the platform asks for is never shortened.
 */
export function retryPause(failure: PlatformFailure, attemptsBefore: number): number | undefined {
  const pause = RETRY_PAUSES[attemptsBefore];
  if (pause === undefined || !isWorthRetrying(failure)) return undefined;
  return Math.max(failure.retryAfterSeconds ?? 0, pause);
}
