import { randomInt } from "node:crypto";
import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import { Database, type Row } from "#stand-ins/shared/sqlite.ts";
import type { ApiMessage, Bot, Chat, Group, KeptMessage, Person, UpdateKind } from "./message.ts";

/** Everything that is known, until the data folder is deleted: messages and files in limited number. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS person (id INTEGER PRIMARY KEY, details TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS chat_group (id INTEGER PRIMARY KEY, details TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS bot (
    id INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, last_message INTEGER NOT NULL, last_update INTEGER NOT NULL,
    details TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS chat (
    bot INTEGER NOT NULL, id INTEGER NOT NULL, started INTEGER NOT NULL, closed INTEGER NOT NULL, PRIMARY KEY (bot, id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS topic (
    bot INTEGER NOT NULL, chat INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (bot, chat, id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS message (
    bot INTEGER NOT NULL, chat INTEGER NOT NULL, id INTEGER NOT NULL, details TEXT NOT NULL, PRIMARY KEY (bot, chat, id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS bot_update (
    bot INTEGER NOT NULL, id INTEGER NOT NULL, chat INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (bot, id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS click (
    id TEXT PRIMARY KEY, bot INTEGER NOT NULL, chat INTEGER NOT NULL, person INTEGER NOT NULL, answer TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS file (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, bot INTEGER NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL,
    mime TEXT NOT NULL, bytes BLOB NOT NULL
  ) STRICT;
`;

const ADA: Person = { id: 1001, name: "Ada", username: "ada" };
const BEN: Person = { id: 1002, name: "Ben", username: "ben" };
const GROUP: Group = { id: -1_001_000_000_001, title: "Ada, Ben and the bot", members: [ADA.id, BEN.id] };

/** Details were written by this file, so they are what they were. */
const PersonDetails = z.custom<Person>();
const GroupDetails = z.custom<Group>();
const BotDetails = z.custom<Bot>();
const MessageDetails = z.custom<KeptMessage>();

const KEPT_MESSAGES = 500;
const KEPT_FILES = 200;
const FIRST_BOT = 700_000_001;

/** A file that was sent. */
export interface KeptFile {
  id: string;
  /** As `getFile` tells it. */
  path: string;
  name: string;
  mimeType: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** An update that the bot did not confirm. */
export interface Update {
  id: number;
  chatId: number;
  /** JSON, with its `update_id`. */
  body: string;
}

/** A button that a person pressed. */
export interface Click {
  id: string;
  personId: number;
  /** What the bot says about it; undefined until it says something. */
  answer: string | undefined;
}

/** The platform's state, in one SQLite file. */
export class ChatStore {
  readonly #db: Database;

  constructor(path: string) {
    this.#db = new Database(path, SCHEMA);
    for (const person of [ADA, BEN]) this.addPerson(person);
    this.addGroup(GROUP);
  }

  transaction<T>(work: () => T): T {
    return this.#db.transaction(work);
  }

  close(): void {
    this.#db.close();
  }

  people(): Person[] {
    return this.#db.all("SELECT details FROM person ORDER BY rowid").map((row) => read(row, PersonDetails));
  }

  addPerson(person: Person): void {
    this.#db.run("INSERT OR IGNORE INTO person VALUES (?, ?)", person.id, JSON.stringify(person));
  }

  groups(): Group[] {
    return this.#db.all("SELECT details FROM chat_group").map((row) => read(row, GroupDetails));
  }

  addGroup(group: Group): void {
    this.#db.run("INSERT OR IGNORE INTO chat_group VALUES (?, ?)", group.id, JSON.stringify(group));
  }

  /** The bot of a token, created on its first use. */
  botOf(token: string): Bot {
    const row = this.#db.get("SELECT details FROM bot WHERE token = ?", token);
    if (row) return read(row, BotDetails);
    return this.transaction(() => {
      const last = Number(this.#db.get("SELECT max(id) AS last FROM bot")?.["last"] ?? FIRST_BOT - 1);
      const id = last + 1;
      const username = `standin${id - FIRST_BOT + 1}_bot`;
      const bot: Bot = { id, token, username, webhook: undefined, allowedUpdates: [], commands: [] };
      // Update ids begin anywhere.
      const insert = "INSERT INTO bot VALUES (?, ?, 0, ?, ?)";
      this.#db.run(insert, id, token, randomInt(1_000, 1_000_000), JSON.stringify(bot));
      return bot;
    });
  }

  bots(): Bot[] {
    return this.#db.all("SELECT details FROM bot ORDER BY id").map((row) => read(row, BotDetails));
  }

  saveBot(bot: Bot): void {
    this.#db.run("UPDATE bot SET details = ? WHERE id = ?", JSON.stringify(bot), bot.id);
  }

  /** The chats of a bot: with each person, and the groups. */
  chats(botId: number): Chat[] {
    const people = this.people();
    const states = new Map(
      this.#db.all("SELECT * FROM chat WHERE bot = ?", botId).map((row) => [Number(row["id"]), row]),
    );
    const direct = people.map((person): Chat => {
      const { id, name, username } = person;
      const state = states.get(id);
      return {
        api: { id, type: "private", first_name: name, username },
        members: [person],
        isStarted: state?.["started"] === 1,
        isClosed: state?.["closed"] === 1,
      };
    });
    const groups = this.groups().map(({ id, title, members }): Chat => ({
      api: { id, type: "supergroup", title, is_forum: true },
      members: people.filter((person) => members.includes(person.id)),
      isStarted: true,
      isClosed: states.get(id)?.["closed"] === 1,
    }));
    return [...direct, ...groups];
  }

  saveChat(botId: number, { api, isStarted, isClosed }: Chat): void {
    this.#db.run(
      "INSERT OR REPLACE INTO chat VALUES (?, ?, ?, ?)",
      botId,
      api.id,
      Number(isStarted),
      Number(isClosed),
    );
  }

  addTopic(botId: number, chatId: number, topic: number): void {
    this.#db.run("INSERT OR IGNORE INTO topic VALUES (?, ?, ?)", botId, chatId, topic);
  }

  hasTopic(botId: number, chatId: number, topic: number): boolean {
    const sql = "SELECT 1 FROM topic WHERE bot = ? AND chat = ? AND id = ?";
    return this.#db.get(sql, botId, chatId, topic) !== undefined;
  }

  /** Stores a message under the bot's next number; `write` gets the number. */
  addMessage(bot: Bot, chatId: number, write: (id: number) => ApiMessage, isSilent = false): ApiMessage {
    return this.transaction(() => {
      const id = this.#next("last_message", bot);
      const message = write(id);
      const kept: KeptMessage = { message, reactions: [], isSilent };
      this.#db.run("INSERT INTO message VALUES (?, ?, ?, ?)", bot.id, chatId, id, JSON.stringify(kept));
      const old = "DELETE FROM message WHERE bot = ? AND chat = ? AND id <= ?";
      this.#db.run(old, bot.id, chatId, id - KEPT_MESSAGES);
      return message;
    });
  }

  saveMessage(bot: Bot, kept: KeptMessage): void {
    const { chat, message_id: id } = kept.message;
    const sql = "UPDATE message SET details = ? WHERE bot = ? AND chat = ? AND id = ?";
    this.#db.run(sql, JSON.stringify(kept), bot.id, chat.id, id);
  }

  message(bot: Bot, chatId: number, id: number): KeptMessage | undefined {
    const sql = "SELECT details FROM message WHERE bot = ? AND chat = ? AND id = ?";
    const row = this.#db.get(sql, bot.id, chatId, id);
    return row && read(row, MessageDetails);
  }

  /** All messages of a chat, oldest first. */
  messages(bot: Bot, chatId: number): KeptMessage[] {
    const sql = "SELECT details FROM message WHERE bot = ? AND chat = ? ORDER BY id";
    return this.#db.all(sql, bot.id, chatId).map((row) => read(row, MessageDetails));
  }

  /** Returns whether the message existed. */
  deleteMessage(bot: Bot, chatId: number, id: number): boolean {
    return (
      this.#db.run("DELETE FROM message WHERE bot = ? AND chat = ? AND id = ?", bot.id, chatId, id) === 1
    );
  }

  /** Stores an update until the bot confirms it, unless the bot does not want its kind. */
  addUpdate(bot: Bot, chatId: number, kind: UpdateKind, content: object): void {
    if (bot.allowedUpdates.length > 0 && !bot.allowedUpdates.includes(kind)) return;
    this.transaction(() => {
      const id = this.#next("last_update", bot);
      const body = JSON.stringify({ update_id: id, [kind]: content });
      this.#db.run("INSERT INTO bot_update VALUES (?, ?, ?, ?)", bot.id, id, chatId, body);
    });
  }

  /** Unconfirmed updates from an id on, oldest first. */
  updates(bot: Bot, from: number, limit: number): Update[] {
    return this.#db
      .all("SELECT * FROM bot_update WHERE bot = ? AND id >= ? ORDER BY id LIMIT ?", bot.id, from, limit)
      .map(({ id, chat, body }) => ({ id: Number(id), chatId: Number(chat), body: String(body) }));
  }

  /** The id of the update that is `count` from the end: what a negative offset of `getUpdates` means. */
  updateFromEnd(bot: Bot, count: number): number {
    const sql = "SELECT id FROM bot_update WHERE bot = ? ORDER BY id DESC LIMIT 1 OFFSET ?";
    return Number(this.#db.get(sql, bot.id, count - 1)?.["id"] ?? 0);
  }

  pendingUpdates(bot: Bot): number {
    return Number(this.#db.get("SELECT count(*) AS n FROM bot_update WHERE bot = ?", bot.id)?.["n"]);
  }

  confirmBefore(bot: Bot, id: number): void {
    this.#db.run("DELETE FROM bot_update WHERE bot = ? AND id < ?", bot.id, id);
  }

  confirm(bot: Bot, id: number): void {
    this.#db.run("DELETE FROM bot_update WHERE bot = ? AND id = ?", bot.id, id);
  }

  addClick(bot: Bot, chatId: number, { id, personId }: Click): void {
    this.#db.run("INSERT INTO click VALUES (?, ?, ?, ?, NULL)", id, bot.id, chatId, personId);
  }

  /** Returns whether there is such a click without an answer. */
  answerClick(bot: Bot, id: string, answer: string): boolean {
    const sql = "UPDATE click SET answer = ? WHERE id = ? AND bot = ? AND answer IS NULL";
    return this.#db.run(sql, answer, id, bot.id) === 1;
  }

  /** The newest clicks of a chat, oldest first. */
  clicks(bot: Bot, chatId: number): Click[] {
    return this.#db
      .all("SELECT * FROM click WHERE bot = ? AND chat = ? ORDER BY rowid DESC LIMIT 20", bot.id, chatId)
      .map(({ id, person, answer }) => ({
        id: String(id),
        personId: Number(person),
        answer: typeof answer === "string" ? answer : undefined,
      }))
      .toReversed();
  }

  addFile(bot: Bot, file: KeptFile): void {
    const sql = "INSERT INTO file (id, bot, path, name, mime, bytes) VALUES (?, ?, ?, ?, ?, ?)";
    this.#db.run(sql, file.id, bot.id, file.path, file.name, file.mimeType, file.bytes);
    this.#db.run("DELETE FROM file WHERE seq <= (SELECT max(seq) FROM file) - ?", KEPT_FILES);
  }

  file(bot: Bot, id: string): KeptFile | undefined {
    return toFile(this.#db.get("SELECT * FROM file WHERE bot = ? AND id = ?", bot.id, id));
  }

  fileAt(bot: Bot, path: string): KeptFile | undefined {
    return toFile(this.#db.get("SELECT * FROM file WHERE bot = ? AND path = ?", bot.id, path));
  }

  #next(counter: "last_message" | "last_update", bot: Bot): number {
    this.#db.run(`UPDATE bot SET ${counter} = ${counter} + 1 WHERE id = ?`, bot.id);
    return Number(this.#db.get(`SELECT ${counter} AS last FROM bot WHERE id = ?`, bot.id)?.["last"]);
  }
}

/** The details of a row. */
function read<T>(row: Row, details: z.ZodType<T>): T {
  return parseJson(String(row["details"]), details);
}

function toFile(row: Row | undefined): KeptFile | undefined {
  if (!row) return undefined;
  const { id, path, name, mime, bytes } = row;
  return {
    id: String(id),
    path: String(path),
    name: String(name),
    mimeType: String(mime),
    bytes: bytes instanceof Uint8Array ? new Uint8Array(bytes) : new Uint8Array(),
  };
}
