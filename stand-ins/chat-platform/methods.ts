import { z } from "zod";
import { badRequest } from "./bot-error.ts";
import { type FileKind, keepFile, shown } from "./files.ts";
import { type ApiMessage, type Bot, userOf } from "./message.ts";
import { check, parameter, type Parameters } from "./parameters.ts";
import { REACTIONS } from "./reactions.ts";
import type { PlatformState } from "./state.ts";
import { captionOf, openChat, rewrite, Target, textOf, write } from "./writing.ts";

const MAX_FILE_BYTES = 20 * 1024 * 1024;
const MAX_ANSWER = 200;

const OneMessage = Target.extend({ message_id: parameter.int });

type Method = (state: PlatformState, bot: Bot, parameters: Parameters) => unknown;

/** Methods of the Bot API, by their names in lower case; those of updates are elsewhere. */
export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["getme", (_, bot) => ({ ...userOf(bot), ...ABILITIES })],
  ["sendmessage", (state, bot, parameters) => write(state, bot, parameters, () => textOf(parameters))],
  ["editmessagetext", rewrite],
  ["senddocument", (state, bot, parameters) => sendFile(state, bot, parameters, "document")],
  ["sendphoto", (state, bot, parameters) => sendFile(state, bot, parameters, "photo")],
  ["deletemessage", deleteMessage],
  ["sendchataction", sendChatAction],
  ["setmessagereaction", setReaction],
  ["answercallbackquery", answerClick],
  ["getfile", getFile],
  ["setmycommands", setCommands],
  ["getmycommands", (_, bot) => bot.commands],
]);

const ABILITIES = {
  can_join_groups: true,
  // In its groups the bot is an administrator, and reads everything.
  can_read_all_group_messages: true,
  supports_inline_queries: false,
  can_connect_to_business: false,
  has_main_web_app: false,
};

function sendFile(state: PlatformState, bot: Bot, parameters: Parameters, kind: FileKind): ApiMessage {
  return write(state, bot, parameters, () => {
    const { [kind]: given } = check(parameters, z.object({ [kind]: z.string().optional() }));
    const upload = parameters.uploads.get(given?.replace(/^attach:\/\//u, "") ?? kind);
    if (upload) return { ...keepFile(state.store, bot, kind, upload), ...captionOf(parameters) };
    const known = given === undefined ? undefined : state.store.file(bot, given);
    if (!known) throw badRequest(`there is no ${kind} in the request`);
    return { ...shown(kind, known), ...captionOf(parameters) };
  });
}

function deleteMessage(state: PlatformState, bot: Bot, parameters: Parameters): true {
  const { chat_id: chatId, message_id: id } = check(parameters, OneMessage);
  openChat(state, bot, chatId);
  if (!state.store.deleteMessage(bot, chatId, id)) throw badRequest("message to delete not found");
  state.changed();
  return true;
}

function sendChatAction(state: PlatformState, bot: Bot, parameters: Parameters): true {
  const { chat_id: chatId } = check(parameters, Target.extend({ action: z.string() }));
  state.startTyping(bot, openChat(state, bot, chatId).api.id);
  return true;
}

function setReaction(state: PlatformState, bot: Bot, parameters: Parameters): true {
  const Reactions = parameter.json(
    z
      .array(z.object({ type: z.literal("emoji"), emoji: z.string() }))
      .max(1)
      .default([]),
  );
  const {
    chat_id: chatId,
    message_id: id,
    reaction,
  } = check(parameters, OneMessage.extend({ reaction: Reactions }));
  openChat(state, bot, chatId);
  const kept = state.store.message(bot, chatId, id);
  if (!kept) throw badRequest("message to react not found");
  const reactions = reaction.map(({ emoji }) => emoji);
  if (!reactions.every((emoji) => REACTIONS.has(emoji))) throw badRequest("REACTION_INVALID");
  state.store.saveMessage(bot, { ...kept, reactions });
  state.changed();
  return true;
}

function answerClick(state: PlatformState, bot: Bot, parameters: Parameters): true {
  const Answer = z.object({ callback_query_id: z.string(), text: z.string().default("") });
  const { callback_query_id: id, text } = check(parameters, Answer);
  if (text.length > MAX_ANSWER) throw badRequest("MESSAGE_TOO_LONG");
  if (!state.store.answerClick(bot, id, text)) {
    throw badRequest("query is too old and response timeout expired or query ID is invalid");
  }
  state.changed();
  return true;
}

function getFile(state: PlatformState, bot: Bot, parameters: Parameters): object {
  const { file_id: id } = check(parameters, z.object({ file_id: z.string() }));
  const file = state.store.file(bot, id);
  if (!file) throw badRequest("wrong file_id or the file is temporarily unavailable");
  if (file.bytes.byteLength > MAX_FILE_BYTES) throw badRequest("file is too big");
  return {
    file_id: id,
    file_unique_id: id.slice(0, 8),
    file_size: file.bytes.byteLength,
    file_path: file.path,
  };
}

function setCommands(state: PlatformState, bot: Bot, parameters: Parameters): true {
  const Commands = parameter.json(
    z.array(z.object({ command: z.string(), description: z.string() })).max(100),
  );
  const { commands } = check(parameters, z.object({ commands: Commands }));
  for (const { command, description } of commands) {
    if (!/^[a-z0-9_]{1,32}$/u.test(command)) throw badRequest("BOT_COMMAND_INVALID");
    if (description === "" || description.length > 256) throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
  }
  state.store.saveBot({ ...bot, commands });
  state.changed();
  return true;
}
