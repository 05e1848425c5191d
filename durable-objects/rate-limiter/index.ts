import { DurableObject } from "cloudflare:workers";
import { createLog } from "#src/platform/log/log.ts";
import { Attempts } from "./attempts.ts";
import { EventCounts } from "./event-counts.ts";
import { Limiter } from "./limiter.ts";
import type {
  AttemptDecision,
  AttemptWindow,
  EventLimits,
  RateDecision,
  RateLimit,
  RateLimiterObject,
  TakenEvents,
} from "./protocol.ts";

/**
 * One object per caller and rule (`key:<id>`, `user:<id>`, `chat:<id>`), per owner of channels (`events:<id>`), or per
 * counter of attempts (`login:account:<hash>`). Calls and events are counted in memory only: a limit of a minute is not worth
 * a write per call, and an evicted object starts anew. Attempts are stored until their window has passed.
 */
export class RateLimiter extends DurableObject implements RateLimiterObject {
  readonly #limiter = new Limiter();
  readonly #events = new EventCounts();
  readonly #attempts = new Attempts(this.ctx.storage);

  take(limit: RateLimit): RateDecision {
    return this.#limiter.take(limit, Date.now());
  }

  takeEvents(events: { channelId: string; wanted: number; limits: EventLimits }): TakenEvents {
    return this.#events.take(events, Date.now());
  }

  async takeAttempt(window: AttemptWindow): Promise<AttemptDecision> {
    return this.#attempts.take(window, Date.now());
  }

  giveBack(receipt: string): void {
    this.#attempts.giveBack(receipt);
  }

  override async alarm(): Promise<void> {
    try {
      await this.#attempts.forget(Date.now());
    } catch (error) {
      createLog().error("attempts could not be forgotten", { cause: error });
    }
  }
}
