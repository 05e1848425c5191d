import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { Connect, Keeper } from "../connection.ts";
import { PlatformFailure } from "../platform-failure.ts";
import { type Bot, BotRefusal, botOf, callBot } from "./calls.ts";
import { parseUpdate } from "./parse.ts";
import { update } from "./wire.ts";

/** How long Telegram keeps a request open while there is nothing to return. */
const POLL_SECONDS = 30;
/** What Telegram and the network may take beyond that. */
const MARGIN_SECONDS = 15;
/** Updates in one answer. */
const BATCH = 50;
/** More than the largest answer of so many updates: one that is too large would come again and again. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Without `my_chat_member` the service would not know that the bot was blocked or removed. */
const ALLOWED_UPDATES = ["message", "edited_message", "callback_query", "my_chat_member"];

const Credentials = z.object({ bot_token: z.string() });
const Memory = z.object({ offset: z.int() });

/**
 * Long polling: the next request confirms all updates before its offset, so it is made only after they are stored. The
 * offset is remembered, because after a crash Telegram would otherwise send up to a day's updates again.
 */
export const connectTelegram: Connect = async (account, keeper) => {
  const bot = botOf(Credentials.parse(account.credentials).bot_token, account.environment);
  // Telegram refuses requests for updates while a webhook is set.
  await call(bot, keeper, "deleteWebhook", { drop_pending_updates: false }, z.unknown());
  let offset = safeParseJson(keeper.memory.read() ?? "", Memory)?.value.offset;
  // The first request returns at once, so that the owner soon sees the connection.
  let timeout = 0;
  while (!keeper.signal.aborted) {
    const wanted = { offset, limit: BATCH, timeout, allowed_updates: ALLOWED_UPDATES };
    const updates = await call(bot, keeper, "getUpdates", wanted, z.array(update));
    keeper.connected();
    timeout = POLL_SECONDS;
    if (updates.length === 0) continue;
    await keeper.receive(updates.flatMap((one) => parseUpdate(one, account.self)));
    offset = Math.max(...updates.map(({ update_id: id }) => id)) + 1;
    keeper.memory.write(JSON.stringify({ offset }));
  }
};

async function call<T>(
  bot: Bot,
  { signal }: Keeper,
  method: string,
  parameters: Readonly<Record<string, unknown>> & { timeout?: number },
  result: z.ZodType<T>,
): Promise<T> {
  const timeoutMs = ((parameters.timeout ?? 0) + MARGIN_SECONDS) * 1000;
  try {
    return await callBot(bot, method, parameters, result, { timeoutMs, maxBytes: MAX_BYTES, signal });
  } catch (error) {
    if (error instanceof BotRefusal) throw conflict(error);
    throw error;
  }
}

/**
 * No refusal is a reason to stop. After a restart the request of before is open for up to a minute; and a webhook that
 * another program has set is removed when the connection is made again.
 */
function conflict({ description, message }: BotRefusal): PlatformFailure {
  const isReader = /terminated by other/iu.test(description);
  const isWebhook = /webhook is active/iu.test(description);
  if (isReader) return failure("Another program reads the bot's messages with the same token.");
  return failure(isWebhook ? "Another program has set a webhook for the bot." : message);
}

function failure(sentence: string): PlatformFailure {
  return new PlatformFailure("unreachable", sentence);
}
