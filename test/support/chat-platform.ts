import { setTimeout as pause } from "node:timers/promises";
import type { FileKind } from "#stand-ins/chat-platform/files.ts";
import type { ApiMessage, Chat, Group, KeptMessage, Person } from "#stand-ins/chat-platform/message.ts";
import type { Click } from "#stand-ins/chat-platform/store.ts";
import { WAIT_HANGS_MS } from "./hangs.ts";

const PAUSE_MS = 50;

/** A chat as a person sees it. */
export interface ShownChat extends Chat {
  isTyping: boolean;
  messages: KeptMessage[];
  clicks: Click[];
}

/** People of the chat platform: what its page does, for tests. */
export class ChatPlatform {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** A new person. */
  async person(name: string): Promise<Person> {
    return this.ask("/people", { name });
  }

  /** A new group, in which every bot is. */
  async group(title: string, members: readonly number[]): Promise<Group> {
    return this.ask("/groups", { title, members });
  }

  /** The chat of a person with a bot, or a group, as the person uses it. */
  chat(botId: number, chatId: number, personId: number): PersonsChat {
    return new PersonsChat(this, `/bots/${botId}/chats/${chatId}`, personId);
  }

  /** Faults that the bot's next calls meet; see `stand-ins/chat-platform/faults.ts`. */
  async setFaults(botId: number, faults: readonly object[]): Promise<void> {
    await this.ask(`/bots/${botId}/faults`, { faults });
  }

  /** The calls that a bot made, oldest first, without polls. */
  async calls(botId: number): Promise<{ method: string; parameters: Record<string, unknown> }[]> {
    return this.ask(`/bots/${botId}/calls`);
  }

  async untilPolled(botId: number): Promise<void> {
    await until(async () => {
      const bots: { id: number; receives: string }[] = await this.ask("/bots");
      return bots.find(({ id, receives }) => id === botId && receives === "polling");
    });
  }

  async ask<T>(path: string, body?: object | Request): Promise<T> {
    const init = body && {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    return this.send(path, init);
  }

  async send<T>(path: string, init: RequestInit | undefined): Promise<T> {
    const response = await fetch(this.#url + path, init);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }
}

/** One person in one chat. */
export class PersonsChat {
  readonly #platform: ChatPlatform;
  readonly #path: string;
  readonly #personId: number;

  constructor(platform: ChatPlatform, path: string, personId: number) {
    this.#platform = platform;
    this.#path = path;
    this.#personId = personId;
  }

  async read(): Promise<ShownChat> {
    return this.#platform.ask(this.#path);
  }

  /** Sends a text; returns the id of its message. */
  async say(text: string, options: { replyTo?: number; topic?: number } = {}): Promise<number> {
    const sent: ApiMessage = await this.#post("/messages", { text, ...options });
    return sent.message_id;
  }

  async edit(messageId: number, text: string): Promise<void> {
    await this.#post(`/messages/${messageId}/edits`, { text });
  }

  /** Presses a button; returns the id of the click. */
  async press(messageId: number, data: string): Promise<string> {
    const { id } = await this.#post<{ id: string }>(`/messages/${messageId}/presses`, { data });
    return id;
  }

  /** Blocks the bot or removes it from the group, or undoes that. */
  async setMembership(isMember: boolean): Promise<void> {
    await this.#post("/membership", { isMember });
  }

  async sendFile(file: {
    kind: FileKind;
    filename: string;
    mimeType: string;
    bytes: Uint8Array<ArrayBuffer>;
    caption?: string;
  }): Promise<number> {
    const { kind, filename, mimeType, bytes, caption = "" } = file;
    const query = new URLSearchParams({ from: String(this.#personId), kind, filename, caption });
    const headers = { "content-type": mimeType };
    const init = { method: "POST", headers, body: bytes };
    const sent: ApiMessage = await this.#platform.send(`${this.#path}/files?${query.toString()}`, init);
    return sent.message_id;
  }

  /** Waits until the chat has something, and returns it. */
  async until<T>(find: (chat: ShownChat) => T | undefined): Promise<T> {
    return until(async () => find(await this.read()));
  }

  async #post<T>(path: string, body: object): Promise<T> {
    return this.#platform.ask(this.#path + path, { from: this.#personId, ...body });
  }
}

async function until<T>(find: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + WAIT_HANGS_MS;
  while (Date.now() < deadline) {
    const found = await find();
    if (found !== undefined) return found;
    await pause(PAUSE_MS);
  }
  throw new Error("The chat platform does not show what was waited for");
}
