import type { EventLimits, TakenEvents } from "./protocol.ts";
import { decide, stillCounts } from "./window.ts";

const WINDOW_MS = 60_000;

/**
 * Counts the events of one person's channels in the last minute, for each channel and for all of them. Exact: each call is
 * one synchronous turn. Times are milliseconds since the epoch.
 */
export class EventCounts {
  /** Oldest first. */
  #taken: { channelId: string; at: number }[] = [];

  /** Takes as many events as both limits have room for. A limit of 0 is none. */
  take(
    { channelId, wanted, limits }: { channelId: string; wanted: number; limits: EventLimits },
    now: number,
  ): TakenEvents {
    this.#taken = this.#taken.filter(({ at }) => stillCounts(at, { windowMs: WINDOW_MS }, now));
    const ofChannel = this.#taken.filter((each) => each.channelId === channelId);
    const counts = [
      { capacity: limits.channel, taken: ofChannel },
      { capacity: limits.owner, taken: this.#taken },
    ].filter(({ capacity }) => capacity > 0);
    const rooms = counts.map(({ capacity, taken }) => Math.max(0, capacity - taken.length));
    const taken = Math.min(wanted, ...rooms);
    const added = Array.from({ length: taken }, () => ({ channelId, at: now }));
    this.#taken.push(...added);
    if (taken === wanted) return { taken, retryAfterSeconds: 0 };
    const waits = counts.map((each) => {
      const times = [...each.taken, ...(each.taken === this.#taken ? [] : added)].map(({ at }) => at);
      return decide(times, { capacity: each.capacity, windowMs: WINDOW_MS }, now).retryAfterSeconds;
    });
    return { taken, retryAfterSeconds: Math.max(...waits) };
  }
}
