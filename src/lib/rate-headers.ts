/** Where a caller stands with a limit. `X-RateLimit-Reset` counts seconds from now, not from the epoch: existing clients read it so. */
export function rateHeaders(decision: {
  limit: number;
  remaining: number;
  resetSeconds: number;
}): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(decision.limit),
    "X-RateLimit-Remaining": String(decision.remaining),
    "X-RateLimit-Reset": String(decision.resetSeconds),
  };
}
