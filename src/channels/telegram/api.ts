import { z } from "zod";
import { cut } from "#src/lib/one-line.ts";
import type { Button, ChannelApi, MediaReference, OutgoingFile, Place, RenderedText } from "../channel.ts";
import { callForFile, fileTooLarge, unreachable } from "../platform-call.ts";
import { PlatformFailure } from "../platform-failure.ts";
import { type Bot, BotRefusal, callBot, callOf } from "./calls.ts";
import { reactionFor } from "./reactions.ts";

const UPLOAD_TIMEOUT_MS = 60_000;
const MAX_PHOTO_BYTES = 10 * 1024 * 1024;
const MAX_CONFIRMATION = 200;
const MAX_DOWNLOAD_BYTES = 20 * 1024 * 1024;
/** Up to this many buttons share a row if their labels are short. Phones cut longer labels off. */
const BUTTONS_IN_ROW = 3;
const LABEL_IN_ROW = 16;

/** The kinds of updates that Telegram sends to the service. Telegram drops all others. */
const ALLOWED_UPDATES = ["message", "edited_message", "callback_query", "my_chat_member"];

/** Types that are sent as photos. A GIF is not, because Telegram would show it without its motion. */
const PHOTO_TYPES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/webp"]);

const me = z.looseObject({ id: z.int(), username: z.string().optional() });
const sent = z.looseObject({ message_id: z.int() });
const file = z.looseObject({ file_path: z.string().optional(), file_size: z.number().optional() });
const done = z.unknown();

/** The calls of one bot. */
export function telegramApi(bot: Bot): ChannelApi {
  return {
    async identify() {
      const { id, username } = await callBot(bot, "getMe", {}, me);
      return { botId: String(id), botName: username };
    },

    async send({ place, text, replyTo, buttons, isSilent }) {
      const options = {
        ...replyOptions(replyTo),
        disable_notification: isSilent,
        ...(buttons.length > 0 && { reply_markup: { inline_keyboard: keyboard(buttons) } }),
      };
      const { message_id: id } = await inItsChat(place, (target) =>
        withMarkup(text, (formatted) =>
          callBot(bot, "sendMessage", { ...target, ...formatted, ...options }, sent, { isSend: true }),
        ),
      );
      return { messageId: String(id) };
    },

    async sendFile(outgoing) {
      const { message_id: id } = await inItsChat(outgoing.place, (target) =>
        sendFile(bot, outgoing, { ...target, ...replyOptions(outgoing.replyTo) }),
      );
      return { messageId: String(id) };
    },

    async edit({ place, messageId, text }) {
      // Without a keyboard the buttons are removed.
      const target = { chat_id: place.chatId, message_id: Number(messageId) };
      await unless(/message is not modified/iu, async () =>
        withMarkup(text, (formatted) => callBot(bot, "editMessageText", { ...target, ...formatted }, done)),
      );
    },

    async remove({ place, messageId }) {
      const target = { chat_id: place.chatId, message_id: Number(messageId) };
      await unless(/message to delete not found|message_id_invalid/iu, async () =>
        callBot(bot, "deleteMessage", target, done),
      );
    },

    async showTyping(place) {
      await callBot(bot, "sendChatAction", { ...targetOf(place), action: "typing" }, done);
    },

    async react({ place, messageId }, emoji) {
      const reaction = [{ type: "emoji", emoji: reactionFor(emoji) }];
      const target = { chat_id: place.chatId, message_id: Number(messageId) };
      await callBot(bot, "setMessageReaction", { ...target, reaction }, done);
    },

    async confirmClick({ confirmation }, text) {
      if (confirmation === undefined) return;
      const said = cut(text, MAX_CONFIRMATION);
      // Telegram refuses to confirm an old click. Nobody waits for that confirmation any more.
      await unless(/query is too old|query ID is invalid/iu, async () =>
        callBot(bot, "answerCallbackQuery", { callback_query_id: confirmation, text: said }, done),
      );
    },

    /** The chat with a person has the person's id. */
    directPlace: async (userId) => ({ chatId: userId, chatType: "dm", threadId: undefined }),

    download: (media, maxBytes) => download(bot, media, maxBytes),

    async registerWebhook(url, secret) {
      await callBot(
        bot,
        "setWebhook",
        { url, secret_token: secret, allowed_updates: ALLOWED_UPDATES },
        done,
        { secrets: [secret, url] },
      );
    },

    async removeWebhook() {
      await callBot(bot, "deleteWebhook", {}, done);
    },
  };
}

function targetOf({ chatId, threadId }: Place): { chat_id: string; message_thread_id?: number } {
  return { chat_id: chatId, ...(threadId !== undefined && { message_thread_id: Number(threadId) }) };
}

function replyOptions(replyTo: string | undefined): { reply_parameters?: object } {
  if (replyTo === undefined) return {};
  return { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } };
}

function keyboard(buttons: readonly Button[]): object[][] {
  const keys = buttons.map(({ label, data, style }) => ({
    text: label,
    callback_data: data,
    ...(style && { style }),
  }));
  const isOneRow =
    buttons.length <= BUTTONS_IN_ROW && buttons.every(({ label }) => label.length <= LABEL_IN_ROW);
  return isOneRow ? [keys] : keys.map((key) => [key]);
}

/** Sends to a place. If Telegram says that the chat became a supergroup, sends again to the supergroup. */
async function inItsChat<T>(
  place: Place,
  send: (target: ReturnType<typeof targetOf>) => Promise<T>,
): Promise<T> {
  try {
    return await send(targetOf(place));
  } catch (error) {
    if (!(error instanceof BotRefusal) || error.migratedTo === undefined) throw error;
    return send(targetOf({ ...place, chatId: String(error.migratedTo) }));
  }
}

/** Sends a text as markup. If Telegram cannot read the markup, sends the plain text. */
async function withMarkup<T>(
  { markup, plain }: RenderedText,
  send: (formatted: Readonly<Record<string, unknown>>) => Promise<T>,
): Promise<T> {
  const preview = { link_preview_options: { is_disabled: true } };
  try {
    return await send({ ...preview, text: markup, parse_mode: "HTML" });
  } catch (error) {
    if (!(error instanceof BotRefusal) || !/can't parse entities/iu.test(error.description)) throw error;
    return send({ ...preview, text: plain });
  }
}

/** Makes a call, and treats a refusal that matches `isDone` as success: what the call asks for is already so. */
async function unless(isDone: RegExp, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof BotRefusal) || !isDone.test(error.description)) throw error;
  }
}

/** Sends an image as a photo, and other files as documents. An image that Telegram refuses as a photo becomes a document. */
async function sendFile(
  bot: Bot,
  { filename, mimeType, bytes }: OutgoingFile,
  target: Readonly<Record<string, unknown>>,
): Promise<z.infer<typeof sent>> {
  const sendAs = async (method: string, field: string) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(target)) {
      form.set(name, typeof value === "string" ? value : JSON.stringify(value));
    }
    form.set(field, new Blob([bytes], { type: mimeType }), filename);
    return callBot(bot, method, form, sent, { isSend: true, timeoutMs: UPLOAD_TIMEOUT_MS });
  };
  if (!PHOTO_TYPES.has(mimeType) || bytes.byteLength > MAX_PHOTO_BYTES) {
    return sendAs("sendDocument", "document");
  }
  try {
    return await sendAs("sendPhoto", "photo");
  } catch (error) {
    if (!(error instanceof BotRefusal) || !/photo|image/iu.test(error.description)) throw error;
    return sendAs("sendDocument", "document");
  }
}

async function download(
  bot: Bot,
  { reference, mimeType }: MediaReference,
  maxBytes: number,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; mimeType: string }> {
  const { file_path: path, file_size: size } = await describe(bot, reference);
  if (size !== undefined && size > maxBytes) throw fileTooLarge(maxBytes);
  const call = callOf(bot, `/file/bot${bot.token}/${path}`);
  // The path comes from outside. It must name a file of this bot, and must not lead to another address.
  if (path === undefined || !/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/u.test(path)) {
    throw unreachable(call, "named no file that can be fetched");
  }
  const { status, headers, bytes } = await callForFile(call, maxBytes);
  if (status >= 500 || status === 429)
    throw unreachable(call, `did not hand out the file (status ${status})`);
  if (status !== 200) throw new PlatformFailure("refused", "Telegram no longer has the file.");
  return { bytes, mimeType: mimeType ?? headers.get("content-type") ?? "application/octet-stream" };
}

async function describe(bot: Bot, reference: string): Promise<z.infer<typeof file>> {
  try {
    return await callBot(bot, "getFile", { file_id: reference }, file);
  } catch (error) {
    if (error instanceof BotRefusal && /file is too big/iu.test(error.description)) {
      throw fileTooLarge(MAX_DOWNLOAD_BYTES);
    }
    throw error;
  }
}
