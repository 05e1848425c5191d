import type {
  EventLimits,
  RateDecision,
  RateLimit,
  RateLimiterObject,
  TakenEvents,
} from "#durable-objects/rate-limiter/protocol.ts";
import type { Trips } from "#src/platform/trips.ts";

export type { RateDecision, RateLimit, TakenEvents };

/**
 * Which limit applies: per external key, per user over all routes, per user over chat routes, per user over commands,
 * per user over moves of chats, per task over messages that its agent sends, per address over pages for visitors.
 */
export type RateRule = "key" | "user" | "chat" | "command" | "move" | "send" | "address";

/** Moves of chats to another project, per user. Switched off together with the limit of messages. */
const MOVES_PER_MINUTE = 30;

/** Messages of one task's agent to people outside of the chat. */
const SENDS_PER_MINUTE = 20;

/** Calls of visitors from one address. Switched off together with the limit per user. */
const VISITS = { burst: 120, perSecond: 2 };

export interface RateLimits {
  /** Counts one call; `undefined` when the rule is switched off. */
  take(rule: RateRule, id: string): Promise<RateDecision | undefined>;
  /** Counts events of a channel, up to the limits of the channel and of its owner: says how many may be taken. */
  takeEvents(channel: { id: string; userId: string }, wanted: number): Promise<TakenEvents>;
}

export function rateLimits(
  namespace: DurableObjectNamespace<RateLimiterObject>,
  limits: Record<RateRule, RateLimit>,
  events: EventLimits,
  trips: Trips,
): RateLimits {
  return {
    async take(rule, id) {
      const limit = limits[rule];
      if (limit.capacity === 0 || (limit.kind === "bucket" && limit.perSecond === 0)) return undefined;
      trips.objects += 1;
      return namespace.getByName(`${rule}:${id}`).take(limit);
    },
    async takeEvents({ id: channelId, userId }, wanted) {
      if (events.channel === 0 && events.owner === 0) return { taken: wanted, retryAfterSeconds: 0 };
      trips.objects += 1;
      // One object counts both, so that an event costs one call.
      return namespace.getByName(`events:${userId}`).takeEvents({ channelId, wanted, limits: events });
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
}): Record<RateRule, RateLimit> {
  return {
    key: { kind: "bucket", capacity: config.KEY_RATE_BURST, perSecond: config.KEY_RATE_PER_SECOND },
    user: perMinute(config.USER_RATE_PER_MINUTE),
    chat: perMinute(config.CHAT_RATE_PER_MINUTE),
    command: perMinute(config.COMMAND_RATE_PER_MINUTE),
    move: perMinute(config.CHAT_RATE_PER_MINUTE === 0 ? 0 : MOVES_PER_MINUTE),
    send: perMinute(SENDS_PER_MINUTE),
    address: {
      kind: "bucket",
      capacity: config.USER_RATE_PER_MINUTE === 0 ? 0 : VISITS.burst,
      perSecond: VISITS.perSecond,
    },
  };
}

/** The limits of a configuration for events of channels. */
export function eventLimits(config: {
  CHANNEL_WEBHOOK_RATE_LIMIT: number;
  CHANNEL_OWNER_RATE_LIMIT: number;
}): EventLimits {
  return { channel: config.CHANNEL_WEBHOOK_RATE_LIMIT, owner: config.CHANNEL_OWNER_RATE_LIMIT };
}

function perMinute(capacity: number): RateLimit {
  return { kind: "window", capacity, windowMs: 60_000 };
}
