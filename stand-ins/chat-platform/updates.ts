import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import { BotError, badRequest } from "./bot-error.ts";
import type { Bot } from "./message.ts";
import { check, parameter, type Parameters } from "./parameters.ts";
import type { PlatformState } from "./state.ts";

const MAX_POLL_SECONDS = 50;

const Poll = z.object({
  offset: parameter.int.default(0),
  limit: parameter.int.default(100),
  timeout: parameter.int.default(0),
  allowed_updates: parameter.json(z.array(z.string()).optional()).optional(),
});

const Webhook = z.object({
  url: z.string().default(""),
  secret_token: z
    .string()
    .regex(/^[\w-]{1,256}$/u)
    .optional(),
  max_connections: parameter.int.default(40),
  allowed_updates: parameter.json(z.array(z.string()).optional()).optional(),
  drop_pending_updates: parameter.flag.optional(),
});

/** How bots fetch their updates, one poll for each: a newer one ends it, and so does a webhook. */
export class Updates {
  readonly #state: PlatformState;
  readonly #polls = new Map<number, (conflict: BotError) => void>();

  constructor(state: PlatformState) {
    this.#state = state;
  }

  /** Whether a poll of the bot waits now. */
  isPolled(bot: Bot): boolean {
    return this.#polls.has(bot.id);
  }

  /** Returns unconfirmed updates from the offset on and confirms those before; waits for one if there is none. */
  async poll(bot: Bot, parameters: Parameters, signal: AbortSignal): Promise<unknown[]> {
    const { offset, limit, timeout, allowed_updates: allowed } = check(parameters, Poll);
    const { store } = this.#state;
    if (bot.webhook) {
      throw conflict(
        "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    }
    if (allowed) store.saveBot({ ...bot, allowedUpdates: allowed });
    const from = offset < 0 ? store.updateFromEnd(bot, -offset) : offset;
    store.confirmBefore(bot, from);
    this.#end(bot, "terminated by other getUpdates request; make sure that only one bot instance is running");
    const count = Math.min(100, Math.max(1, limit));
    const ready = () =>
      store.updates(bot, from, count).map(({ body }) => parseJson(body, z.record(z.string(), z.unknown())));
    if (ready().length === 0 && timeout > 0) {
      await this.#wait(bot, ready, Math.min(timeout, MAX_POLL_SECONDS) * 1000, signal);
    }
    return ready();
  }

  /** Has a bot's updates sent to an address; without one, ends that. */
  setWebhook(bot: Bot, parameters: Parameters): true {
    const wish = check(parameters, Webhook);
    if (wish.url !== "" && !/^https?:$/u.test(URL.parse(wish.url)?.protocol ?? "")) {
      throw badRequest("bad webhook: invalid webhook URL specified");
    }
    const { store } = this.#state;
    store.saveBot({
      ...bot,
      webhook:
        wish.url === ""
          ? undefined
          : { url: wish.url, secretToken: wish.secret_token, maxConnections: wish.max_connections },
      allowedUpdates: wish.allowed_updates ?? bot.allowedUpdates,
    });
    if (wish.drop_pending_updates === true) store.confirmBefore(bot, Number.MAX_SAFE_INTEGER);
    if (wish.url !== "") this.#end(bot, "terminated by setWebhook request");
    this.#state.changed();
    return true;
  }

  /** Ends all polls: their connections are closed with the server. */
  close(): void {
    for (const end of this.#polls.values()) end(conflict("the platform stops"));
  }

  #end(bot: Bot, why: string): void {
    this.#polls.get(bot.id)?.(conflict(why));
  }

  async #wait(bot: Bot, ready: () => unknown[], timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => resolve(), timeoutMs);
    const unsubscribe = this.#state.onChange(() => {
      if (ready().length > 0) resolve();
    });
    const left = () => resolve();
    signal.addEventListener("abort", left);
    this.#polls.set(bot.id, reject);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      unsubscribe();
      signal.removeEventListener("abort", left);
      if (this.#polls.get(bot.id) === reject) this.#polls.delete(bot.id);
    }
  }
}

function conflict(why: string): BotError {
  return new BotError(409, `Conflict: ${why}`);
}
