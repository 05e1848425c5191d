/** A bucket of `capacity` calls that fills again at `perSecond`, or at most `capacity` calls in any `windowMs`. */
export type RateLimit =
  | { kind: "bucket"; capacity: number; perSecond: number }
  | { kind: "window"; capacity: number; windowMs: number };

export interface RateDecision {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the whole limit is available again. */
  resetSeconds: number;
  /** Seconds until one more call is let in; 0 when allowed. */
  retryAfterSeconds: number;
}

/** At most `capacity` attempts in any `windowMs`. */
export interface AttemptWindow {
  capacity: number;
  windowMs: number;
}

export interface AttemptDecision extends RateDecision {
  /** Names the attempt that was let in, for giving it back. */
  receipt?: string;
}

/**
 * What callers of the `RateLimiter` object may rely on. The limit comes with every call, so a changed setting holds from the
 * next call on.
 */
export interface RateLimiterObject extends Rpc.DurableObjectBranded {
  /** Count one call, if it is let in. Counts of calls are lost when the object is evicted. */
  take(limit: RateLimit): RateDecision;
  /** Count one attempt, if it is let in. Attempts are stored until their window has passed. */
  takeAttempt(window: AttemptWindow): Promise<AttemptDecision>;
  /** Undo an attempt that was let in. Idempotent. */
  giveBack(receipt: string): void;
}
