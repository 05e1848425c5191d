import type {
  EventLimits,
  RateDecision,
  RateLimit,
  RateLimiterObject,
  TakenEvents,
} from "#durable-objects/rate-limiter/protocol.ts";
import type { Trips } from "#src/platform/trips.ts";

export type { EventLimits, RateDecision, RateLimit, TakenEvents };

/** Counts calls by rule and subject. */
export interface RateCounts<Rule extends string> {
  /** Counts one call; `undefined` when the rule is switched off. */
  take(rule: Rule, id: string): Promise<RateDecision | undefined>;
  /** Counts events of a channel, up to the limits of the channel and of its owner: says how many may be taken. */
  takeEvents(channel: { id: string; userId: string }, wanted: number): Promise<TakenEvents>;
}

export function rateCounts<Rule extends string>(
  namespace: DurableObjectNamespace<RateLimiterObject>,
  limitOf: (rule: Rule) => RateLimit,
  events: EventLimits,
  trips: Trips,
): RateCounts<Rule> {
  return {
    async take(rule, id) {
      const limit = limitOf(rule);
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
