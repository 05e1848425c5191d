import type http from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { serve } from "#local/serve.ts";

const Poll = z.object({ timeout: z.int().default(0) });

/** A Telegram with any number of bots, to which no one writes. */
export interface IdleTelegram {
  url: string;
  newToken(): string;
  /** Long polls that wait now. */
  readonly openPolls: number;
  close(): Promise<void>;
}

/** Serves what a bot's connection calls, and holds its long polls open for as long as they ask for. */
export async function startIdleTelegram(): Promise<IdleTelegram> {
  let bots = 0;
  const timers = new Set<NodeJS.Timeout>();

  function hold(response: http.ServerResponse, timeout: number): void {
    const end = () => {
      clearTimeout(timer);
      timers.delete(timer);
    };
    const timer = setTimeout(() => {
      end();
      answer(response, []);
    }, timeout * 1000);
    timers.add(timer);
    response.once("close", end);
  }

  const { url, close } = await serve(async (request, response) => {
    const [, id, method] = /^\/bot(\d+):[^/]+\/(\w+)$/u.exec(request.url ?? "") ?? [];
    const timeout = safeParseJson(await text(request), Poll)?.value.timeout ?? 0;
    if (method === "getUpdates" && timeout > 0) hold(response, timeout);
    else if (method === "getUpdates") answer(response, []);
    else if (method === "getMe") {
      answer(response, { id: Number(id), is_bot: true, first_name: "Bot", username: `bot${id}` });
    } else answer(response, true);
  });
  return {
    url,
    newToken() {
      bots += 1;
      return `${110_201_543 + bots}:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw`;
    },
    get openPolls() {
      return timers.size;
    },
    async close() {
      for (const timer of timers) clearTimeout(timer);
      await close();
    },
  };
}

function answer(response: http.ServerResponse, result: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ok: true, result }));
}
