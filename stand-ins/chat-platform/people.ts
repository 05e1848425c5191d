import { randomInt } from "node:crypto";
import { AppError } from "#src/lib/errors.ts";
import { type FileKind, keepFile } from "./files.ts";
import { entitiesIn } from "./html.ts";
import {
  type ApiChat,
  type ApiMessage,
  type Bot,
  type Chat,
  type Group,
  type KeptMessage,
  type Person,
  userOf,
  userOfPerson,
} from "./message.ts";
import type { Upload } from "./parameters.ts";
import { nowInSeconds, type PlatformState } from "./state.ts";

/** A chat of a bot, and the person who does something in it. */
export interface Seat {
  bot: Bot;
  chat: Chat;
  person: Person;
}

/** The seat of a person; throws `not_found` for a bot, chat or person that is not there. */
export function seatOf(state: PlatformState, botId: number, chatId: number, personId: number): Seat {
  const { bot, chat } = chatOf(state, botId, chatId);
  const person = chat.members.find(({ id }) => id === personId);
  if (!person) throw new AppError("not_found", "No such person in the chat");
  return { bot, chat, person };
}

/** A bot and one of its chats; throws `not_found`. */
export function chatOf(state: PlatformState, botId: number, chatId: number): { bot: Bot; chat: Chat } {
  const bot = state.store.bots().find(({ id }) => id === botId);
  if (!bot) throw new AppError("not_found", "No such bot");
  const chat = state.chat(bot, chatId);
  if (!chat) throw new AppError("not_found", "No such chat");
  return { bot, chat };
}

/** Adds a person with an id that no other platform of a test has. */
export function addPerson(state: PlatformState, name: string): Person {
  const id = randomInt(1_000_000, 2 ** 40);
  const person = { id, name, username: `${name.toLowerCase().replaceAll(/\W/gu, "")}${id}` };
  state.store.addPerson(person);
  state.changed();
  return person;
}

/** Adds a group, in which every bot is. */
export function addGroup(state: PlatformState, title: string, members: readonly number[]): Group {
  const group = { id: -1_000_000_000_000 - randomInt(1_000_000, 2 ** 40), title, members };
  state.store.addGroup(group);
  state.changed();
  return group;
}

/** Something that a person sends. */
interface Sending {
  content: () => Partial<ApiMessage>;
  replyTo: number | undefined;
  topic: number | undefined;
}

/** Sends a text to the bot. */
export function say(
  state: PlatformState,
  seat: Seat,
  text: string,
  options: Omit<Sending, "content">,
): ApiMessage {
  return send(state, seat, { ...options, content: () => ({ text, ...marked(text) }) });
}

/** Sends a file to the bot. */
export function sendFile(
  state: PlatformState,
  seat: Seat,
  file: { kind: FileKind; upload: Upload; caption: string },
  options: Omit<Sending, "content">,
): ApiMessage {
  const { kind, upload, caption } = file;
  return send(state, seat, {
    ...options,
    content: () => ({ ...keepFile(state.store, seat.bot, kind, upload), ...(caption !== "" && { caption }) }),
  });
}

/** Who writes to a bot has started it, and no longer blocks it. */
function send(
  state: PlatformState,
  { bot, chat, person }: Seat,
  { content, replyTo, topic }: Sending,
): ApiMessage {
  const { store } = state;
  const replied = replyTo === undefined ? undefined : found(state, bot, chat, replyTo).message;
  const message = store.transaction(() => {
    if (chat.api.type === "private") store.saveChat(bot.id, { ...chat, isStarted: true, isClosed: false });
    if (topic !== undefined) store.addTopic(bot.id, chat.api.id, topic);
    const written = content();
    const sent = store.addMessage(bot, chat.api.id, (id) => ({
      message_id: id,
      ...(topic !== undefined && { message_thread_id: topic, is_topic_message: true }),
      from: userOfPerson(person),
      chat: chat.api,
      date: nowInSeconds(),
      ...(replied && { reply_to_message: withoutReply(replied) }),
      ...written,
    }));
    if (!isGone(chat)) store.addUpdate(bot, chat.api.id, "message", sent);
    return sent;
  });
  state.changed();
  return message;
}

/** Changes the text of a message that the person sent. */
export function editText(state: PlatformState, { bot, chat, person }: Seat, id: number, text: string): void {
  const kept = found(state, bot, chat, id);
  if (kept.message.from.id !== person.id) throw new AppError("forbidden", "Another one's message");
  const { entities: _, ...rest } = kept.message;
  const message: ApiMessage = { ...rest, text, ...marked(text), edit_date: nowInSeconds() };
  state.store.transaction(() => {
    state.store.saveMessage(bot, { ...kept, message });
    if (!isGone(chat)) state.store.addUpdate(bot, chat.api.id, "edited_message", message);
  });
  state.changed();
}

/** Presses a button; returns the id of the click. */
export function press(state: PlatformState, seat: Seat, messageId: number, data: string): string {
  const { bot, chat, person } = seat;
  const { message } = found(state, bot, chat, messageId);
  const buttons = message.reply_markup?.inline_keyboard.flat() ?? [];
  if (!buttons.some((button) => button.callback_data === data)) {
    throw new AppError("not_found", "The message has no such button");
  }
  const id = String(randomInt(2 ** 47));
  state.store.transaction(() => {
    state.store.addClick(bot, chat.api.id, { id, personId: person.id, answer: undefined });
    state.store.addUpdate(bot, chat.api.id, "callback_query", {
      id,
      from: userOfPerson(person),
      message,
      chat_instance: String(chat.api.id),
      data,
    });
  });
  state.changed();
  return id;
}

/** Blocks or unblocks the bot; in a group, removes or adds it. */
export function setMembership(state: PlatformState, { bot, chat, person }: Seat, isMember: boolean): void {
  const member = (isIn: boolean) => ({
    user: userOf(bot),
    status: isIn ? "member" : "kicked",
    ...(!isIn && { until_date: 0 }),
  });
  state.store.transaction(() => {
    state.store.saveChat(bot.id, { ...chat, isClosed: !isMember });
    state.store.addUpdate(bot, chat.api.id, "my_chat_member", {
      chat: chat.api,
      from: userOfPerson(person),
      date: nowInSeconds(),
      old_chat_member: member(!chat.isClosed),
      new_chat_member: member(isMember),
    });
  });
  state.changed();
}

/** A group that removed the bot tells it nothing. */
function isGone({ api, isClosed }: { api: ApiChat; isClosed: boolean }): boolean {
  return isClosed && api.type !== "private";
}

function found(state: PlatformState, bot: Bot, chat: Chat, id: number): KeptMessage {
  const kept = state.store.message(bot, chat.api.id, id);
  if (!kept) throw new AppError("not_found", "No such message");
  return kept;
}

function withoutReply(replied: ApiMessage): ApiMessage {
  const { reply_to_message: _, ...message } = replied;
  return message;
}

function marked(text: string): Pick<ApiMessage, "entities"> {
  const entities = entitiesIn(text);
  return entities.length > 0 ? { entities } : {};
}
