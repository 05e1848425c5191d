/**
 * Headers with the state of a limit. `X-RateLimit-Reset` is in seconds from now, not since the epoch, because existing
 * clients read it so.
 */
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
