import type { RateDecision, RateLimit, RateLimiterObject } from "#durable-objects/rate-limiter/protocol.ts";
import type { Trips } from "#src/platform/trips.ts";

export type { RateDecision, RateLimit };

/**
 * Which limit applies: per external key, per user over all routes, per user over chat routes, per user over commands,
 * per user over moves of chats, per channel over calls of its webhook, per task over messages that its agent sends, per
 * address over pages for visitors.
 */
export type RateRule = "key" | "user" | "chat" | "command" | "move" | "webhook" | "send" | "address";

/** Moves of chats to another project, per user. Switched off together with the limit of messages. */
const MOVES_PER_MINUTE = 30;

/** Messages of one task's agent to people outside of the chat. */
const SENDS_PER_MINUTE = 20;

/** Calls of visitors from one address. Switched off together with the limit per user. */
const VISITS = { burst: 120, perSecond: 2 };

export interface RateLimits {
  /** Counts one call; `undefined` when the rule is switched off. */
  take(rule: RateRule, id: string): Promise<RateDecision | undefined>;
}

export function rateLimits(
  namespace: DurableObjectNamespace<RateLimiterObject>,
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

/** The limits of a configuration. */
export function rateRules(config: {
  KEY_RATE_BURST: number;
  KEY_RATE_PER_SECOND: number;
  USER_RATE_PER_MINUTE: number;
  CHAT_RATE_PER_MINUTE: number;
  COMMAND_RATE_PER_MINUTE: number;
  CHANNEL_WEBHOOK_RATE_LIMIT: number;
}): Record<RateRule, RateLimit> {
  return {
    key: { kind: "bucket", capacity: config.KEY_RATE_BURST, perSecond: config.KEY_RATE_PER_SECOND },
    user: perMinute(config.USER_RATE_PER_MINUTE),
    chat: perMinute(config.CHAT_RATE_PER_MINUTE),
    command: perMinute(config.COMMAND_RATE_PER_MINUTE),
    move: perMinute(config.CHAT_RATE_PER_MINUTE === 0 ? 0 : MOVES_PER_MINUTE),
    webhook: perMinute(config.CHANNEL_WEBHOOK_RATE_LIMIT),
    send: perMinute(SENDS_PER_MINUTE),
    address: {
      kind: "bucket",
      capacity: config.USER_RATE_PER_MINUTE === 0 ? 0 : VISITS.burst,
      perSecond: VISITS.perSecond,
    },
  };
}

function perMinute(capacity: number): RateLimit {
  return { kind: "window", capacity, windowMs: 60_000 };
}
