import type http from "node:http";
import { BotError } from "./bot-error.ts";
import type { Faults } from "./faults.ts";
import type { Bot } from "./message.ts";
import { METHODS } from "./methods.ts";
import { type Parameters, readParameters } from "./parameters.ts";
import type { PlatformState } from "./state.ts";
import type { Updates } from "./updates.ts";
import type { Webhooks } from "./webhooks.ts";

const TOKEN = /^standin[\w:-]{0,200}$/u;
const KEPT_CALLS = 2_000;

/** A call that a bot made, for tests. */
export interface BotCall {
  method: string;
  parameters: Readonly<Record<string, unknown>>;
}

export interface BotApiParts {
  state: PlatformState;
  updates: Updates;
  webhooks: Webhooks;
  faults: Faults;
  /** The last calls of each bot, oldest first. */
  calls: Map<number, BotCall[]>;
}

/** Serves `/bot<token>/<method>` and `/file/bot<token>/<path>`; returns false for other addresses. */
export async function serveBotApi(
  parts: BotApiParts,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  url: URL,
): Promise<boolean> {
  const [, file, token = "", rest = ""] = /^(\/file)?\/bot(?!s\/)([^/]+)\/(.+)$/u.exec(url.pathname) ?? [];
  if (token === "") return false;
  try {
    const bot = botOf(parts, decodeURIComponent(token));
    if (file !== undefined) sendFile(parts, bot, rest, response);
    else await callMethod(parts, bot, rest.toLowerCase(), { request, response, url });
  } catch (error) {
    if (!(error instanceof BotError)) throw error;
    refuse(response, error);
  }
  return true;
}

function botOf({ state }: BotApiParts, token: string): Bot {
  if (TOKEN.test(token)) return state.store.botOf(token);
  // Telegram distinguishes tokens that were revoked from texts that are none.
  if (/^\d+:[\w-]+$/u.test(token)) throw new BotError(401, "Unauthorized");
  throw new BotError(404, "Not Found");
}

function sendFile({ state }: BotApiParts, bot: Bot, path: string, response: http.ServerResponse): void {
  const file = state.store.fileAt(bot, decodeURIComponent(path));
  if (!file) throw new BotError(404, "Not Found");
  response.writeHead(200, { "content-type": "application/octet-stream" }).end(file.bytes);
}

async function callMethod(
  parts: BotApiParts,
  bot: Bot,
  method: string,
  { request, response, url }: { request: http.IncomingMessage; response: http.ServerResponse; url: URL },
): Promise<void> {
  const left = new AbortController();
  response.once("close", () => left.abort());
  const parameters = await readParameters(request, url.searchParams);
  remember(parts, bot, { method, parameters: parameters.values });
  const outcome = await parts.faults.around(bot.id, method, left.signal, () =>
    run(parts, bot, method, parameters, left.signal),
  );
  if ("result" in outcome) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ok: true, result: outcome.result }));
  } else if (outcome.broken === "disconnect") response.destroy();
  else response.writeHead(outcome.broken.status, { "content-type": "text/html" }).end(outcome.broken.body);
}

function run(
  { state, updates, webhooks }: BotApiParts,
  bot: Bot,
  method: string,
  parameters: Parameters,
  signal: AbortSignal,
): unknown {
  switch (method) {
    case "getupdates": {
      return updates.poll(bot, parameters, signal);
    }
    case "setwebhook": {
      return updates.setWebhook(bot, parameters);
    }
    case "deletewebhook": {
      const { drop_pending_updates: drop } = parameters.values;
      return updates.setWebhook(bot, {
        values: { ...(drop !== undefined && { drop_pending_updates: drop }) },
        uploads: new Map(),
      });
    }
    case "getwebhookinfo": {
      const failure = webhooks.lastFailure(bot);
      return {
        url: bot.webhook?.url ?? "",
        has_custom_certificate: false,
        pending_update_count: state.store.pendingUpdates(bot),
        ...(bot.webhook && { max_connections: bot.webhook.maxConnections }),
        ...(bot.allowedUpdates.length > 0 && { allowed_updates: bot.allowedUpdates }),
        ...(failure && { last_error_date: failure.at, last_error_message: failure.why }),
      };
    }
    default: {
      const known = METHODS.get(method);
      if (!known) throw new BotError(404, "Not Found: method not found");
      return known(state, bot, parameters);
    }
  }
}

/** Polls are not kept: there would be nothing else. */
function remember({ calls }: BotApiParts, bot: Bot, call: BotCall): void {
  if (call.method === "getupdates") return;
  const made = calls.get(bot.id) ?? [];
  made.push(call);
  if (made.length > KEPT_CALLS) made.shift();
  calls.set(bot.id, made);
}

function refuse(response: http.ServerResponse, { code, message, parameters }: BotError): void {
  const body = { ok: false, error_code: code, description: message, ...(parameters && { parameters }) };
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
}
