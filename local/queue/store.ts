import { DatabaseSync, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import { Details, type Message, type NewMessage } from "./message.ts";

/**
 * The queue's tables: messages until they are delivered, deduplication keys for ten minutes, dead letters for a week.
 * Every method is one transaction, on disk when it returns; `synchronous = NORMAL` in WAL mode survives the death of
 * the process at any moment (a power cut may cost the last transactions, never the file's consistency).
 */
const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS message (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, due_at INTEGER NOT NULL, retried INTEGER NOT NULL,
    unanswered INTEGER NOT NULL DEFAULT 0, details TEXT NOT NULL, body BLOB NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS message_due ON message (due_at, seq);
  CREATE TABLE IF NOT EXISTS deduplication (
    key TEXT PRIMARY KEY, message_id TEXT NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS deduplication_expiry ON deduplication (expires_at);
  CREATE TABLE IF NOT EXISTS dead_letter (
    seq INTEGER PRIMARY KEY, dlq_id TEXT NOT NULL UNIQUE, id TEXT NOT NULL, retried INTEGER NOT NULL,
    details TEXT NOT NULL, body BLOB NOT NULL, answer TEXT NOT NULL, died_at INTEGER NOT NULL
  ) STRICT;
`;

/** https://upstash.com/docs/qstash/features/deduplication */
const DEDUPLICATION_WINDOW_MS = 10 * 60_000;
const DEAD_LETTER_RETENTION_MS = 7 * 24 * 3_600_000;

/** The response of a destination; `status` 0 and the reason as body when there was none. */
export const Answer = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.array(z.string())),
  /** At most 64 KiB are stored. */
  bodyBase64: z.string(),
});
export type Answer = z.infer<typeof Answer>;

export interface Accepted {
  messageId: string;
  url: string;
  deduplicated: boolean;
}

export interface DeadLetter extends Message {
  dlqId: string;
  answer: Answer;
}

export class QueueStore {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** Opens or creates the database; expired rows are deleted. */
  constructor(path: string, now: number) {
    this.#db = new DatabaseSync(path);
    this.#db.exec(SCHEMA);
    this.#run("DELETE FROM dead_letter WHERE died_at < ?", now - DEAD_LETTER_RETENTION_MS);
  }

  /** Stores new messages, all or none, skipping those whose deduplication key was used within the window. */
  add(messages: readonly NewMessage[], now: number): Accepted[] {
    return this.#transaction(() => messages.map((message) => this.#add(message, now)));
  }

  /** Returns ids of due messages, oldest first, including those under way, because they stay until they are done. */
  due(now: number, limit: number): string[] {
    const sql = "SELECT id FROM message WHERE due_at <= ? ORDER BY due_at, seq LIMIT ?";
    return this.#all(sql, now, limit).map(({ id }) => String(id));
  }

  /** Returns when the next message becomes due, in milliseconds since the epoch. */
  nextDueAfter(now: number): number | undefined {
    const at = this.#get("SELECT min(due_at) AS at FROM message WHERE due_at > ?", now)?.["at"];
    return typeof at === "number" ? at : undefined;
  }

  /** Deletes a delivered message and stores its following messages. */
  finish(id: string, following: readonly NewMessage[], now: number): void {
    this.#transaction(() => {
      if (this.#run("DELETE FROM message WHERE id = ?", id) === 1) this.#follow(following, now);
    });
  }

  /** Schedules a failed message for `dueAt`. `unanswered` says that the destination did not respond, see `hasten`. */
  postpone(
    id: string,
    again: { retried: number; dueAt: number; unanswered: boolean },
    following: readonly NewMessage[],
    now: number,
  ): void {
    this.#transaction(() => {
      const changed = this.#run(
        "UPDATE message SET retried = ?, due_at = ?, unanswered = ? WHERE id = ?",
        again.retried,
        Math.round(again.dueAt),
        Number(again.unanswered),
        id,
      );
      if (changed === 1) this.#follow(following, now);
    });
  }

  /** Makes messages due that only wait because the service did not respond: it is back. */
  hasten(now: number): void {
    this.#run("UPDATE message SET due_at = ? WHERE unanswered = 1 AND due_at > ?", now, now);
  }

  /** Moves a finally failed message to the dead letters. */
  bury(id: string, dlqId: string, answer: Answer, following: readonly NewMessage[], now: number): void {
    this.#transaction(() => {
      const buried = this.#run(
        `INSERT INTO dead_letter (dlq_id, id, retried, details, body, answer, died_at)
         SELECT ?, id, retried, details, body, ?, ? FROM message WHERE id = ?`,
        dlqId,
        JSON.stringify(answer),
        now,
        id,
      );
      this.#run("DELETE FROM message WHERE id = ?", id);
      if (buried === 1) this.#follow(following, now);
    });
  }

  find(id: string): Message | undefined {
    const row = this.#get("SELECT id, retried, details, body FROM message WHERE id = ?", id);
    return row && toMessage(row);
  }

  /** Deletes a message and returns whether it existed. An attempt under way is not stopped. */
  cancel(id: string): boolean {
    return this.#run("DELETE FROM message WHERE id = ?", id) === 1;
  }

  deadLetters(limit: number): DeadLetter[] {
    return this.#all("SELECT * FROM dead_letter ORDER BY seq LIMIT ?", limit).map(toDeadLetter);
  }

  findDeadLetter(dlqId: string): DeadLetter | undefined {
    const row = this.#get("SELECT * FROM dead_letter WHERE dlq_id = ?", dlqId);
    return row && toDeadLetter(row);
  }

  deleteDeadLetter(dlqId: string): boolean {
    return this.#run("DELETE FROM dead_letter WHERE dlq_id = ?", dlqId) === 1;
  }

  /** Moves messages that were published for an earlier public address of the service to the current one. */
  rebase(publicUrl: string): void {
    this.#transaction(() => {
      const before = this.#get("SELECT value FROM setting WHERE name = 'public_url'")?.["value"];
      if (before === publicUrl) return;
      if (typeof before === "string") this.#rebaseMessages(before, publicUrl);
      this.#run(
        "INSERT INTO setting VALUES ('public_url', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        publicUrl,
      );
    });
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  #rebaseMessages(from: string, to: string): void {
    const rebased = <T extends { url: string }>(target: T): T => ({
      ...target,
      url: relativeTo(from, target.url) === undefined ? target.url : to + target.url.slice(from.length),
    });
    for (const message of this.#all("SELECT id, retried, details, body FROM message").map(toMessage)) {
      const { callback, failureCallback } = message.details;
      const details: Details = {
        ...rebased(message.details),
        ...(callback && { callback: rebased(callback) }),
        ...(failureCallback && { failureCallback: rebased(failureCallback) }),
      };
      this.#run("UPDATE message SET details = ? WHERE id = ?", JSON.stringify(details), message.id);
    }
  }

  #follow(following: readonly NewMessage[], now: number): void {
    for (const message of following) this.#add(message, now);
  }

  #add({ id, details, body, deduplicationKey: key }: NewMessage, now: number): Accepted {
    if (key !== undefined) {
      this.#run("DELETE FROM deduplication WHERE expires_at <= ?", now);
      const earlier = this.#get("SELECT message_id FROM deduplication WHERE key = ?", key)?.["message_id"];
      if (typeof earlier === "string") return { messageId: earlier, url: details.url, deduplicated: true };
      this.#run("INSERT INTO deduplication VALUES (?, ?, ?)", key, id, now + DEDUPLICATION_WINDOW_MS);
    }
    this.#run(
      "INSERT INTO message (id, due_at, retried, details, body) VALUES (?, ?, 0, ?, ?)",
      id,
      Math.round(details.notBefore),
      JSON.stringify(details),
      body,
    );
    return { messageId: id, url: details.url, deduplicated: false };
  }

  #transaction<T>(work: () => T): T {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#db.exec("COMMIT");
      return result;
    } catch (error) {
      this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  #run(sql: string, ...values: (string | number | Uint8Array)[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  #get(sql: string, ...values: (string | number)[]): Row | undefined {
    return this.#statement(sql).get(...values);
  }

  #all(sql: string, ...values: (string | number)[]): Row[] {
    return this.#statement(sql).all(...values);
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** Returns the part of `url` below `base`, beginning with `/`, `?` or empty; `undefined` when it lies elsewhere. */
export function relativeTo(base: string, url: string): string | undefined {
  if (!url.startsWith(base)) return undefined;
  const rest = url.slice(base.length);
  return rest === "" || rest.startsWith("/") || rest.startsWith("?") ? rest : undefined;
}

type Row = Record<string, SQLOutputValue>;

const MessageRow = z.object({
  id: z.string(),
  retried: z.number(),
  details: z.string(),
  body: z.instanceof(Uint8Array),
});
const DeadLetterRow = MessageRow.extend({ dlq_id: z.string(), answer: z.string() });

function toMessage(row: Row): Message {
  const { id, retried, details, body } = MessageRow.parse(row);
  return { id, retried, details: parseJson(details, Details), body };
}

function toDeadLetter(row: Row): DeadLetter {
  const { dlq_id: dlqId, answer } = DeadLetterRow.parse(row);
  return { ...toMessage(row), dlqId, answer: parseJson(answer, Answer) };
}
