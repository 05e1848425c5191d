import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import type http from "node:http";
import path from "node:path";
import { serve } from "#local/serve.ts";
import { isOwnRequest } from "#stand-ins/shared/own-requests.ts";
import { type BotApiParts, serveBotApi } from "./bot-routes.ts";
import { Faults } from "./faults.ts";
import { servePeople } from "./people-routes.ts";
import { PlatformState } from "./state.ts";
import { ChatStore, type KeptFile } from "./store.ts";
import { Updates } from "./updates.ts";
import { type Rebase, Webhooks } from "./webhooks.ts";

const PAGE = readFileSync(path.join(import.meta.dirname, "page.html"), "utf8");
const NONCE = "{{nonce}}";

/** Media that a browser shows without running anything. */
const SHOWN = /^(image\/(png|jpeg|gif|webp)|audio\/[\w.+-]+)(;|$)/u;

/**
 * A messaging platform on this machine, for trying channels without an account at one. It speaks Telegram's Bot API:
 * every token that begins with `standin` is a bot of its own. Its page, at `url`, is the other side: one writes there as
 * one of its people, in private or in a group, and sees what the bot does. The state is `DATA_DIR/chat-platform.sqlite`.
 * Webhooks below `rebase.publicUrl` are called at `rebase.deliverTo`.
 */
export async function startChatPlatform(options: {
  dataDir: string;
  preferredPort?: number;
  rebase?: Rebase;
}): Promise<{ url: string; close: () => Promise<void> }> {
  mkdirSync(options.dataDir, { recursive: true });
  const store = new ChatStore(path.join(options.dataDir, "chat-platform.sqlite"));
  const state = new PlatformState(store);
  const updates = new Updates(state);
  const webhooks = new Webhooks(state, options.rebase);
  const parts: BotApiParts = { state, updates, webhooks, faults: new Faults(), calls: new Map() };
  const { preferredPort } = options;
  const { url, close } = await serve(
    (request, response) => answer(parts, request, response),
    preferredPort === undefined ? {} : { preferredPort },
  );
  return {
    url,
    close: async () => {
      updates.close();
      await Promise.all([close(), webhooks.close()]);
      store.close();
    },
  };
}

async function answer(
  parts: BotApiParts,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  if (!isOwnRequest(request)) {
    response.writeHead(403, { "content-type": "text/plain" }).end("Not for pages of other sites");
    return;
  }
  const url = new URL(request.url ?? "/", "http://localhost");
  const isAnswered =
    (await serveBotApi(parts, request, response, url)) ||
    servePage(parts, request, response, url) ||
    (await servePeople(parts, request, response, url));
  if (!isAnswered) response.writeHead(404, { "content-type": "text/plain" }).end("There is nothing here");
}

/** Serves the page, its news and the files of chats; returns false for other addresses. */
function servePage(
  { state }: BotApiParts,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  url: URL,
): boolean {
  if (request.method !== "GET") return false;
  const [, botId, fileId] = /^\/bots\/(\d+)\/files\/([\w-]+)$/u.exec(url.pathname) ?? [];
  if (url.pathname === "/") sendPage(response);
  else if (url.pathname === "/changes") followChanges(state, response);
  else if (botId !== undefined && fileId !== undefined) {
    const bot = state.store.bots().find(({ id }) => id === Number(botId));
    const file = bot && state.store.file(bot, fileId);
    if (!file) return false;
    sendFile(response, file);
  } else return false;
  return true;
}

function sendPage(response: http.ServerResponse): void {
  const nonce = randomUUID();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "media-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  response
    .writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
      "cache-control": "no-store",
    })
    .end(PAGE.replaceAll(NONCE, nonce));
}

/** Tells the page that something changed; the page then fetches what it shows. */
function followChanges(state: PlatformState, response: http.ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.write(": open\n\n");
  const unsubscribe = state.onChange(() => response.write("data: changed\n\n"));
  response.once("close", unsubscribe);
}

/** Shows images and sound; everything else is a download. */
function sendFile(response: http.ServerResponse, { name, mimeType, bytes }: KeptFile): void {
  const isShown = SHOWN.test(mimeType);
  response
    .writeHead(200, {
      "content-type": isShown ? mimeType : "application/octet-stream",
      "content-disposition": `${isShown ? "inline" : "attachment"}; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}`,
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
    })
    .end(bytes);
}
