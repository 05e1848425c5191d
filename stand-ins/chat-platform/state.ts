import type { ChatStore } from "./store.ts";
import type { Bot, Chat } from "./message.ts";

/** Seconds for which a chat action is shown. */
const TYPING_MS = 5_000;

/** What the parts of the platform share: the store, who writes at the moment, and who listens to changes. */
export class PlatformState {
  readonly store: ChatStore;
  readonly #listeners = new Set<() => void>();
  readonly #typing = new Map<string, number>();

  constructor(store: ChatStore) {
    this.store = store;
  }

  /** Calls `listener` after every change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** The chat of a bot by its id. */
  chat(bot: Bot, id: number): Chat | undefined {
    return this.store.chats(bot.id).find(({ api }) => api.id === id);
  }

  startTyping(bot: Bot, chatId: number): void {
    this.#typing.set(`${bot.id} ${chatId}`, Date.now() + TYPING_MS);
    this.changed();
  }

  stopTyping(bot: Bot, chatId: number): void {
    this.#typing.delete(`${bot.id} ${chatId}`);
  }

  isTyping(bot: Bot, chatId: number): boolean {
    return (this.#typing.get(`${bot.id} ${chatId}`) ?? 0) > Date.now();
  }
}

/** Seconds since the epoch, as the Bot API tells times. */
export function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
