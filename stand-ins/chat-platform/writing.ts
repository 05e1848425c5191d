import { z } from "zod";
import { BotError, badRequest } from "./bot-error.ts";
import { entitiesIn, type FormattedText, parseHtml } from "./html.ts";
import { type ApiMessage, type Bot, type Chat, userOf } from "./message.ts";
import { check, parameter, type Parameters } from "./parameters.ts";
import { nowInSeconds, type PlatformState } from "./state.ts";

const MAX_TEXT = 4_096;
const MAX_CAPTION = 1_024;
const MAX_BUTTON_DATA_BYTES = 64;

const Keyboard = parameter.json(
  z.object({
    inline_keyboard: z.array(
      z.array(
        z.object({
          text: z.string(),
          callback_data: z.string().optional(),
          url: z.string().optional(),
          style: z.string().optional(),
        }),
      ),
    ),
  }),
);

/** Parameters that texts and files have in common. */
export const Target = z.object({ chat_id: z.union([z.string(), z.number()]).transform(Number) });

const Options = Target.extend({
  message_thread_id: parameter.int.optional(),
  disable_notification: parameter.flag.optional(),
  reply_parameters: parameter
    .json(
      z
        .object({ message_id: parameter.int, allow_sending_without_reply: parameter.flag.optional() })
        .optional(),
    )
    .optional(),
  reply_markup: Keyboard.optional(),
});

const Markup = z.object({ parse_mode: z.string().optional(), reply_markup: Keyboard.optional() });

/** The chat in which a bot wants to do something. Throws what the platform says when it must not. */
export function openChat(state: PlatformState, bot: Bot, id: number): Chat {
  const chat = state.chat(bot, id);
  if (!chat) throw badRequest("chat not found");
  const isPrivate = chat.api.type === "private";
  if (chat.isClosed) {
    throw new BotError(
      403,
      `Forbidden: ${isPrivate ? "bot was blocked by the user" : "bot was kicked from the supergroup chat"}`,
    );
  }
  if (!chat.isStarted) throw new BotError(403, "Forbidden: bot can't initiate conversation with a user");
  return chat;
}

/** Stores a bot's message with what it replies to and its buttons. */
export function write(
  state: PlatformState,
  bot: Bot,
  parameters: Parameters,
  content: () => Partial<ApiMessage>,
): ApiMessage {
  const options = check(parameters, Options);
  const chat = openChat(state, bot, options.chat_id);
  const { message_thread_id: topic } = options;
  if (topic !== undefined && !state.store.hasTopic(bot.id, chat.api.id, topic)) {
    throw badRequest("message thread not found");
  }
  const replied = repliedTo(state, bot, chat, options.reply_parameters);
  const keyboard = keyboardOf(options.reply_markup);
  const message = state.store.transaction(() => {
    const written = content();
    return state.store.addMessage(
      bot,
      chat.api.id,
      (id) => ({
        message_id: id,
        ...(topic !== undefined && { message_thread_id: topic, is_topic_message: true }),
        from: userOf(bot),
        chat: chat.api,
        date: nowInSeconds(),
        ...(replied && { reply_to_message: replied }),
        ...written,
        ...keyboard,
      }),
      options.disable_notification,
    );
  });
  state.stopTyping(bot, chat.api.id);
  state.changed();
  return message;
}

/** Replaces the text and the buttons of a bot's message. */
export function rewrite(state: PlatformState, bot: Bot, parameters: Parameters): ApiMessage {
  const { chat_id: chatId, message_id: id } = check(parameters, Target.extend({ message_id: parameter.int }));
  openChat(state, bot, chatId);
  const kept = state.store.message(bot, chatId, id);
  if (!kept) throw badRequest("message to edit not found");
  if (kept.message.from.id !== bot.id || kept.message.text === undefined) {
    throw badRequest("message can't be edited");
  }
  const { text, entities, reply_markup: keyboard, ...rest } = kept.message;
  const next = { ...textOf(parameters), ...keyboardOf(check(parameters, Markup).reply_markup) };
  const before = { text, ...(entities && { entities }), ...(keyboard && { reply_markup: keyboard }) };
  if (JSON.stringify(next) === JSON.stringify(before)) {
    throw badRequest(
      "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    );
  }
  const message: ApiMessage = { ...rest, ...next, edit_date: nowInSeconds() };
  state.store.saveMessage(bot, { ...kept, message });
  state.changed();
  return message;
}

/** The text of a message, read as its parse mode says. */
export function textOf(parameters: Parameters): Pick<ApiMessage, "text" | "entities"> {
  const { text } = check(parameters, z.object({ text: z.string() }));
  const formatted = format(text, parameters);
  if (formatted.text === "") throw badRequest("message text is empty");
  if (formatted.text.length > MAX_TEXT) throw badRequest("message is too long");
  return { text: formatted.text, ...(formatted.entities.length > 0 && { entities: formatted.entities }) };
}

/** The words below a file. */
export function captionOf(parameters: Parameters): Pick<ApiMessage, "caption" | "caption_entities"> {
  const { caption } = check(parameters, z.object({ caption: z.string().optional() }));
  const { text, entities } = format(caption ?? "", parameters);
  if (text.length > MAX_CAPTION) throw badRequest("message caption is too long");
  return {
    ...(text !== "" && { caption: text }),
    ...(entities.length > 0 && { caption_entities: entities }),
  };
}

function format(text: string, parameters: Parameters): FormattedText {
  const { parse_mode: mode } = check(parameters, Markup);
  if (mode === undefined || mode === "") {
    const shown = text.trim();
    return { text: shown, entities: entitiesIn(shown) };
  }
  if (mode.toLowerCase() !== "html") throw badRequest("unsupported parse_mode");
  return parseHtml(text);
}

function repliedTo(
  state: PlatformState,
  bot: Bot,
  chat: Chat,
  reply: z.infer<typeof Options>["reply_parameters"],
): ApiMessage | undefined {
  if (!reply) return undefined;
  const found = state.store.message(bot, chat.api.id, reply.message_id)?.message;
  if (!found && reply.allow_sending_without_reply !== true)
    throw badRequest("message to be replied not found");
  if (!found) return undefined;
  // What a message replies to is told once, not through all that came before.
  const { reply_to_message: _, ...message } = found;
  return message;
}

function keyboardOf(markup: z.infer<typeof Keyboard> | undefined): Pick<ApiMessage, "reply_markup"> {
  if (!markup || markup.inline_keyboard.flat().length === 0) return {};
  for (const { text, callback_data: data, url, style } of markup.inline_keyboard.flat()) {
    if (text === "") throw badRequest('can\'t parse inline keyboard button: Field "text" must be non-empty');
    if (data === undefined && url === undefined) {
      throw badRequest(
        "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
      );
    }
    const bytes = Buffer.byteLength(data ?? "x");
    if (bytes === 0 || bytes > MAX_BUTTON_DATA_BYTES) throw badRequest("BUTTON_DATA_INVALID");
    if (style !== undefined && !["danger", "success", "primary"].includes(style)) {
      throw badRequest("invalid button style specified");
    }
  }
  return { reply_markup: { inline_keyboard: markup.inline_keyboard } };
}
