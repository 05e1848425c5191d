import type { AttemptCounts } from "#src/platform/objects/attempt-counts.ts";
import type { RateCounts } from "#src/platform/objects/rate-counts.ts";
import type { AttemptRule, RateRule } from "./table.ts";

export { countCalls } from "./count-calls.ts";
export { CEILINGS, OPEN_CEILINGS, type Ceiling, type Owner } from "./ceilings.ts";
export { attemptWindowOf, eventLimits, rateLimitOf } from "./of-configuration.ts";
export { ALLOWANCES, LOCKOUTS, type AttemptKind, type AttemptRule, type RateRule } from "./table.ts";

/** Counts calls under the rates of the table. */
export type RateLimits = RateCounts<RateRule>;

/** Counts attempts in the windows of the table. */
export type AttemptLimits = AttemptCounts<AttemptRule>;
