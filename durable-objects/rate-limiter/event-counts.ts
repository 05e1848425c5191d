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
    const rules = [
      { capacity: limits.channel, counts: (event: { channelId: string }) => event.channelId === channelId },
      { capacity: limits.owner, counts: () => true },
    ].filter(({ capacity }) => capacity > 0);
    const timesOf = ({ counts }: (typeof rules)[number]) => this.#taken.filter(counts).map(({ at }) => at);
    const rooms = rules.map((rule) => Math.max(0, rule.capacity - timesOf(rule).length));
    const taken = Math.min(wanted, ...rooms);
    for (let event = 0; event < taken; event += 1) this.#taken.push({ channelId, at: now });
    if (taken === wanted) return { taken, retryAfterSeconds: 0 };
    const waits = rules.map((rule) => {
      const window = { capacity: rule.capacity, windowMs: WINDOW_MS };
      return decide(timesOf(rule), window, now).retryAfterSeconds;
    });
    return { taken, retryAfterSeconds: Math.max(...waits) };
  }
}
