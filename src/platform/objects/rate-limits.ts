import type { RateLimiter } from "#durable-objects/rate-limiter/index.ts";
import type { Trips } from "#src/platform/trips.ts";

/** Which limit applies: per external key, per user over all routes, per user over chat routes, per user over commands. */
export type RateRule = "key" | "user" | "chat" | "command";

export interface RateDecision {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the whole limit is available again. */
  resetSeconds: number;
  /** Seconds until one more call is let in; 0 when allowed. */
  retryAfterSeconds: number;
}

/** A bucket of `capacity` calls that fills again at `perSecond`, or at most `capacity` calls in any `windowMs`. */
export type RateLimit =
  | { kind: "bucket"; capacity: number; perSecond: number }
  | { kind: "window"; capacity: number; windowMs: number };

export interface RateLimits {
  /** Count one call; `undefined` when the rule is switched off. */
  take(rule: RateRule, id: string): Promise<RateDecision | undefined>;
}

export function rateLimits(
  namespace: DurableObjectNamespace<RateLimiter>,
  limits: Record<RateRule, RateLimit>,
  trips: Trips,
): RateLimits {
  return {
    async take(rule, id) {
      const limit = limits[rule];
      if (limit.capacity === 0 || (limit.kind === "bucket" && limit.perSecond === 0)) return undefined;
      trips.objects += 1;
      return namespace.getByName(`${rule}:${id}`).take(limit);
    },
  };
}
