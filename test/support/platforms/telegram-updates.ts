import type http from "node:http";
import { text } from "node:stream/consumers";
import { serve } from "#local/serve.ts";

/** How the next requests for updates are answered, instead of with updates. */
interface Refusal {
  status: number;
  body: object;
}

/** The part of the Bot API that hands out updates, for one bot, with what a test says to go wrong. */
export interface TelegramUpdates {
  url: string;
  /** The only one that is good. */
  token: string;
  /** Id of the last update. */
  readonly lastId: number;
  /** Sends the bot a private message. Returns the id of the update. */
  write(words: string, chatId?: number): number;
  /** Requests for updates that are open now. */
  readonly openPolls: number;
  /** How often the bot's webhook was removed, with which every connection begins. */
  readonly connections: number;
  /** The updates that were confirmed: all with a smaller id. */
  readonly confirmed: number;
  /** The token is no longer good. */
  revoke(): void;
  /** Every request for updates is answered so, until it is called with undefined. */
  refuse(refusal: Refusal | undefined): void;
  /** Ends all open requests for updates without an answer. */
  drop(): void;
  close(): Promise<void>;
}

export async function startTelegramUpdates(first: string): Promise<TelegramUpdates> {
  let nextId = 100;
  let updates: { update_id: number }[] = [];
  let confirmed = 0;
  let connections = 0;
  let isRevoked = false;
  let token = first;
  let refusal: Refusal | undefined;
  const waiting = new Set<{ response: http.ServerResponse; timer: NodeJS.Timeout }>();

  const release = () => {
    for (const poll of waiting) {
      clearTimeout(poll.timer);
      waiting.delete(poll);
      answer(poll.response, 200, { ok: true, result: updates });
    }
  };
  const getUpdates = (response: http.ServerResponse, { offset = 0, timeout = 0 }) => {
    if (refusal) {
      answer(response, refusal.status, refusal.body);
      return;
    }
    for (const poll of waiting) {
      clearTimeout(poll.timer);
      waiting.delete(poll);
      const description = "Conflict: terminated by other getUpdates request";
      answer(poll.response, 409, { ok: false, error_code: 409, description });
    }
    confirmed = Math.max(confirmed, offset);
    updates = updates.filter(({ update_id: id }) => id >= confirmed);
    const poll = { response, timer: setTimeout(release, timeout * 1000) };
    waiting.add(poll);
    response.on("close", () => {
      clearTimeout(poll.timer);
      waiting.delete(poll);
    });
    if (updates.length > 0 || timeout === 0) release();
  };

  const { url, close } = await serve(async (request, response) => {
    const [, bot, method = ""] = /^\/bot([^/]+)\/(\w+)$/u.exec(request.url ?? "") ?? [];
    const body: { offset?: number; timeout?: number } = JSON.parse((await text(request)) || "{}");
    if (bot !== token || isRevoked)
      answer(response, 401, { ok: false, error_code: 401, description: "Unauthorized" });
    else if (method === "getUpdates") getUpdates(response, body);
    else if (method === "getMe") {
      const [id] = token.split(":");
      const result = { id: Number(id), is_bot: true, first_name: "Bot", username: "a_bot" };
      answer(response, 200, { ok: true, result });
    } else {
      if (method === "deleteWebhook") connections += 1;
      answer(response, 200, { ok: true, result: true });
    }
  });

  return {
    url,
    get token() {
      return token;
    },
    set token(next) {
      token = next;
      isRevoked = false;
    },
    get lastId() {
      return nextId;
    },
    write(words, chatId = 7) {
      nextId += 1;
      const from = { id: chatId, is_bot: false, first_name: "Ann" };
      const message = {
        message_id: nextId,
        from,
        chat: { id: chatId, type: "private" },
        date: 1_700_000_000,
        text: words,
      };
      updates.push(Object.assign({ update_id: nextId }, { message }));
      release();
      return nextId;
    },
    get openPolls() {
      return waiting.size;
    },
    get connections() {
      return connections;
    },
    get confirmed() {
      return confirmed;
    },
    revoke() {
      isRevoked = true;
      for (const { response } of waiting) response.destroy();
    },
    refuse(wanted) {
      refusal = wanted;
      if (wanted) for (const { response } of waiting) answer(response, wanted.status, wanted.body);
    },
    drop() {
      for (const { response } of waiting) response.destroy();
    },
    async close() {
      for (const { timer } of waiting) clearTimeout(timer);
      await close();
    },
  };
}

function answer(response: http.ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
