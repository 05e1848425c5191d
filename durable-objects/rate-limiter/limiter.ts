import type { RateDecision, RateLimit } from "./protocol.ts";
import { decide, stillCounts } from "./window.ts";

type Bucket = Extract<RateLimit, { kind: "bucket" }>;
type Window = Extract<RateLimit, { kind: "window" }>;

/**
 * Counts the calls of one caller under one rule. Exact: each call is one synchronous turn. The limit comes with every
 * call, so a changed setting applies from the next one on. Times are milliseconds since the epoch.
 */
export class Limiter {
  /** Calls left at `#filledAt`, including fractions; `undefined` until the first call, when the bucket is full. */
  #tokens: number | undefined;
  #filledAt = 0;
  /** Times of the calls that still count, oldest first. Never longer than the limit. */
  #admitted: number[] = [];

  take(limit: RateLimit, now: number): RateDecision {
    return limit.kind === "bucket" ? this.#takeFromBucket(limit, now) : this.#takeFromWindow(limit, now);
  }

  #takeFromBucket({ capacity, perSecond }: Bucket, now: number): RateDecision {
    // A clock that steps back refills nothing.
    const refilled = (Math.max(0, now - this.#filledAt) / 1000) * perSecond;
    let tokens = Math.min(capacity, (this.#tokens ?? capacity) + refilled);
    const allowed = tokens >= 1;
    if (allowed) tokens -= 1;
    this.#tokens = tokens;
    this.#filledAt = Math.max(this.#filledAt, now);
    return {
      allowed,
      limit: capacity,
      remaining: Math.floor(tokens),
      resetSeconds: Math.ceil((capacity - tokens) / perSecond),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond)),
    };
  }

  #takeFromWindow(window: Window, now: number): RateDecision {
    const firstThatCounts = this.#admitted.findIndex((at) => stillCounts(at, window, now));
    this.#admitted.splice(0, firstThatCounts === -1 ? this.#admitted.length : firstThatCounts);
    const decision = decide(this.#admitted, window, now);
    if (decision.allowed) this.#admitted.push(now);
    return decision;
  }
}
