import { AppError } from "#src/lib/errors.ts";
import type { RateCounts } from "#src/platform/objects/rate-counts.ts";
import type { RateRule } from "./table.ts";

/** Counts so many calls, one after another. Throws `rate_limited`; those before have counted then. */
export async function countCalls(
  { rateLimits }: { rateLimits: Pick<RateCounts<RateRule>, "take"> },
  { rule, id, calls = 1 }: { rule: RateRule; id: string; calls?: number },
): Promise<void> {
  for (let left = calls; left > 0; left -= 1) {
    const decision = await rateLimits.take(rule, id);
    if (decision?.allowed === false) {
      const { retryAfterSeconds } = decision;
      throw new AppError("rate_limited", "Rate limit exceeded", { retryAfterSeconds });
    }
  }
}
