import { DurableObject } from "cloudflare:workers";
import { createLog } from "#src/platform/log/log.ts";
import { Attempts } from "./attempts.ts";
import { Limiter } from "./limiter.ts";
import type {
  AttemptDecision,
  AttemptWindow,
  RateDecision,
  RateLimit,
  RateLimiterObject,
} from "./protocol.ts";

/**
 * One object per caller and rule (`key:<id>`, `user:<id>`, `chat:<id>`) or per counter of attempts
 * (`login:account:<hash>`). Calls are counted in memory only: a limit of a minute is not worth a write per call, and an
 * evicted object starts anew. Attempts are stored until their window has passed.
 */
export class RateLimiter extends DurableObject implements RateLimiterObject {
  readonly #limiter = new Limiter();
  readonly #attempts = new Attempts(this.ctx.storage);

  take(limit: RateLimit): RateDecision {
    return this.#limiter.take(limit, Date.now());
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
