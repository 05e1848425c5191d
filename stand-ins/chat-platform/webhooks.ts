import { setTimeout as pause } from "node:timers/promises";
import { relativeTo } from "#stand-ins/shared/relative-to.ts";
import type { Bot } from "./message.ts";
import type { PlatformState } from "./state.ts";
import type { Update } from "./store.ts";

const TIMEOUT_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const AT_ONCE = 1_000;

/** Where webhooks of the service are called instead of its public address. */
export interface Rebase {
  publicUrl: string;
  deliverTo: string;
}

/** The last failure of a bot's webhook, as `getWebhookInfo` tells it. */
interface Failure {
  at: number;
  why: string;
}

/** Calls the webhooks of bots: the updates of a chat in their order, those of several chats at once, until they are taken. */
export class Webhooks {
  readonly #state: PlatformState;
  readonly #rebase: Rebase | undefined;
  readonly #ended = new AbortController();
  /** By bot and chat: what is being delivered. */
  readonly #busy = new Map<string, Promise<void>>();
  readonly #failures = new Map<number, Failure>();
  readonly #unsubscribe: () => void;

  constructor(state: PlatformState, rebase: Rebase | undefined) {
    this.#state = state;
    this.#rebase = rebase;
    this.#unsubscribe = state.onChange(() => this.#deliver());
    this.#deliver();
  }

  lastFailure(bot: Bot): Failure | undefined {
    return this.#failures.get(bot.id);
  }

  /** What is under way is abandoned, and delivered again after the next start. */
  async close(): Promise<void> {
    this.#unsubscribe();
    this.#ended.abort();
    await Promise.all(this.#busy.values());
  }

  #deliver(): void {
    if (this.#ended.signal.aborted) return;
    for (const bot of this.#state.store.bots()) {
      if (!bot.webhook) continue;
      for (const { chatId } of this.#state.store.updates(bot, 0, AT_ONCE)) {
        const key = `${bot.id} ${chatId}`;
        if (this.#busy.has(key)) continue;
        const delivery = this.#deliverChat(bot, chatId).finally(() => {
          this.#busy.delete(key);
          // An update may have come since the last one was looked for.
          this.#deliver();
        });
        this.#busy.set(key, delivery);
      }
    }
  }

  async #deliverChat({ token }: Bot, chatId: number): Promise<void> {
    const { store } = this.#state;
    let wait = FIRST_PAUSE_MS;
    while (!this.#ended.signal.aborted) {
      // Read again each time: the bot may have another webhook meanwhile, or none.
      const bot = store.botOf(token);
      const update = store.updates(bot, 0, AT_ONCE).find((each) => each.chatId === chatId);
      if (!bot.webhook || !update) return;
      const outcome = await this.#call(bot.webhook, update);
      if (this.#ended.signal.aborted) return;
      if (outcome === "taken") {
        store.confirm(bot, update.id);
        wait = FIRST_PAUSE_MS;
        continue;
      }
      this.#failures.set(bot.id, { at: Math.floor(Date.now() / 1000), why: outcome.why });
      await pause(outcome.retryAfterMs ?? wait, undefined, { signal: this.#ended.signal }).catch(() => {});
      wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
    }
  }

  async #call(
    { url, secretToken }: NonNullable<Bot["webhook"]>,
    { body }: Update,
  ): Promise<"taken" | { why: string; retryAfterMs?: number }> {
    try {
      const response = await fetch(this.#target(url), {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(secretToken !== undefined && { "x-telegram-bot-api-secret-token": secretToken }),
        },
        body,
        redirect: "manual",
        signal: AbortSignal.any([this.#ended.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      if (response.ok) return "taken";
      const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
      const why = `Wrong response from the webhook: ${response.status} ${response.statusText}`;
      return seconds > 0 ? { why, retryAfterMs: seconds * 1000 } : { why };
    } catch {
      return { why: "Connection failed" };
    }
  }

  #target(url: string): string {
    const rest = this.#rebase && relativeTo(this.#rebase.publicUrl, url);
    return rest === undefined ? url : `${this.#rebase?.deliverTo}${rest}`;
  }
}
