import { DurableObject } from "cloudflare:workers";
import type { AttemptDecision, AttemptWindow } from "#src/platform/objects/attempt-limits.ts";
import type { RateDecision, RateLimit } from "#src/platform/objects/rate-limits.ts";
import { createLog } from "#src/platform/log/log.ts";
import { Attempts } from "./attempts.ts";
import { Limiter } from "./limiter.ts";

/**
 * One per caller and rule (`key:<id>`, `user:<id>`, `chat:<id>`) or per counter of attempts (`login:account:<hash>`).
 * Calls are counted in memory alone: a limit of a minute is not worth a write per call, and an object the platform puts
 * away after a quiet spell starts anew. Attempts are stored until their window has passed.
 */
export class RateLimiter extends DurableObject {
  readonly #limiter = new Limiter();
  readonly #attempts = new Attempts(this.ctx.storage);

  /** Count one call, if it is let in. */
  take(limit: RateLimit): RateDecision {
    return this.#limiter.take(limit, Date.now());
  }

  /** Count one attempt, if it is let in. */
  async takeAttempt(window: AttemptWindow): Promise<AttemptDecision> {
    return this.#attempts.take(window, Date.now());
  }

  /** Undo an attempt that was let in. Safe to repeat. */
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
