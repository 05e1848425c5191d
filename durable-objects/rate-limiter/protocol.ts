/** A bucket of `capacity` calls that refills at `perSecond`, or at most `capacity` calls in any `windowMs`. */
export type RateLimit =
  | { kind: "bucket"; capacity: number; perSecond: number }
  | { kind: "window"; capacity: number; windowMs: number };

export interface RateDecision {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the whole limit is available again. */
  resetSeconds: number;
  /** Seconds until one more call is allowed; 0 when allowed now. */
  retryAfterSeconds: number;
}

/** At most `capacity` attempts in any `windowMs`. */
export interface AttemptWindow {
  capacity: number;
  windowMs: number;
}

export interface AttemptDecision extends RateDecision {
  /** Identifies the allowed attempt, for `giveBack`. */
  receipt?: string;
}

/** Most events in a minute: of one channel, and of all channels of its owner. 0 is no limit. */
export interface EventLimits {
  channel: number;
  owner: number;
}

export interface TakenEvents {
  /** How many events are allowed; they are counted. */
  taken: number;
  /** Seconds until one more is allowed; 0 when all were. */
  retryAfterSeconds: number;
}

/**
 * The contract of the `RateLimiter` object. The limit comes with every call, so a changed setting applies from the next
 * one on.
 */
export interface RateLimiterObject extends Rpc.DurableObjectBranded {
  /** Counts one call if it is allowed. Counts of calls are lost when the object is evicted. */
  take(limit: RateLimit): RateDecision;
  /** Counts as many events of a channel as are allowed. The object is that of the channel's owner. Counts are lost as by `take`. */
  takeEvents(events: { channelId: string; wanted: number; limits: EventLimits }): TakenEvents;
  /** Counts one attempt if it is allowed. Attempts are stored until their window has passed. */
  takeAttempt(window: AttemptWindow): Promise<AttemptDecision>;
  /** Reverts an allowed attempt. Idempotent. */
  giveBack(receipt: string): void;
}
