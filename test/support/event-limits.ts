import type { RateLimits } from "#src/domain/operations/limits/index.ts";

/** Channels may take any number of events. */
export const NO_EVENT_LIMITS: Pick<RateLimits, "takeEvents"> = {
  takeEvents: async (_, wanted) => ({ taken: wanted, retryAfterSeconds: 0 }),
};
