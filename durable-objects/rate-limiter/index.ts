import { DurableObject } from "cloudflare:workers";
import type { RateDecision, RateLimit } from "#src/platform/objects/rate-limits.ts";
import { Limiter } from "./limiter.ts";

/**
 * One per caller and rule (`key:<id>`, `user:<id>`, `chat:<id>`). Keeps its count in memory alone: a limit of a minute is
 * not worth a write per call, and an object the platform puts away after a quiet spell starts anew.
 */
export class RateLimiter extends DurableObject {
  readonly #limiter = new Limiter();

  /** Count one call, if it is let in. */
  take(limit: RateLimit): RateDecision {
    return this.#limiter.take(limit, Date.now());
  }
}
