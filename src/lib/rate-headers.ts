import { AppError } from "./errors.ts";

interface RateState {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/**
 * Headers with the state of a limit. `X-RateLimit-Reset` is in seconds from now, not since the epoch, because existing
 * clients read it so.
 */
export function rateHeaders(decision: RateState): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(decision.limit),
    "X-RateLimit-Remaining": String(decision.remaining),
    "X-RateLimit-Reset": String(decision.resetSeconds),
  };
}

/** The refusal of what exceeds a limit, which says when to try again, with the state of the limit. */
export function rateLimited(decision: RateState & { retryAfterSeconds: number }, sentence: string): AppError {
  return new AppError("rate_limited", sentence, {
    retryAfterSeconds: decision.retryAfterSeconds,
    headers: rateHeaders(decision),
  });
}
