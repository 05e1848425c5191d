import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import type { Database, Row } from "#stand-ins/shared/sqlite.ts";
import { Details, type Message, type NewMessage } from "./message.ts";
import { rebasedTemplate } from "./public-address.ts";

/** The lane of a message: its flow-control key, or its address. */
const LANE = "coalesce(details ->> '$.flow.key', details ->> '$.url')";

/**
 * The queue's tables: messages until they are delivered, deduplication keys for ten minutes, dead letters for a week.
 * Every method is one transaction.
 */
export const MESSAGE_TABLES = `
  CREATE TABLE IF NOT EXISTS message (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, due_at INTEGER NOT NULL, retried INTEGER NOT NULL,
    unanswered INTEGER NOT NULL DEFAULT 0, details TEXT NOT NULL, body BLOB NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS message_due ON message (due_at, seq);
  CREATE INDEX IF NOT EXISTS message_lane ON message (${LANE}, due_at, seq);
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
  readonly #db: Database;

  /** A store in a database with its tables; expired rows are deleted. */
  constructor(db: Database, now: number) {
    this.#db = db;
    this.#db.run("DELETE FROM dead_letter WHERE died_at < ?", now - DEAD_LETTER_RETENTION_MS);
  }

  /** Stores new messages, all or none, skipping those whose deduplication key was used within the window. */
  add(messages: readonly NewMessage[], now: number): Accepted[] {
    return this.#db.transaction(() => messages.map((message) => this.#add(message, now)));
  }

  /** Returns the lanes of messages that became due in this time. */
  lanesDue({ since, now }: { since: number; now: number }): string[] {
    const sql = `SELECT DISTINCT ${LANE} AS lane FROM message WHERE due_at BETWEEN ? AND ?`;
    return this.#db.all(sql, since, now).map(({ lane }) => String(lane));
  }

  /** Returns the oldest due message of a lane that is not under way; those stay until they are done. */
  next(lane: string, now: number, underWay: ReadonlySet<string>): Message | undefined {
    const sql = `SELECT id FROM message WHERE ${LANE} = ? AND due_at <= ? ORDER BY due_at, seq LIMIT ?`;
    const ids = this.#db.all(sql, lane, now, underWay.size + 1).map(({ id }) => String(id));
    const id = ids.find((each) => !underWay.has(each));
    return id === undefined ? undefined : this.find(id);
  }

  /** Returns how many messages of a flow-control key are due, with those under way, and what the newest one asks for. */
  flow(key: string, now: number): { due: number; parallelism: number } {
    const newest = `SELECT details ->> '$.flow.parallelism' AS parallelism FROM message
      WHERE ${LANE} = ? ORDER BY seq DESC LIMIT 1`;
    const due = this.#db.get(
      `SELECT count(*) AS due FROM message WHERE ${LANE} = ? AND due_at <= ?`,
      key,
      now,
    );
    return {
      due: Number(due?.["due"] ?? 0),
      parallelism: Number(this.#db.get(newest, key)?.["parallelism"] ?? 0),
    };
  }

  /** Returns when the next message becomes due, in milliseconds since the epoch. */
  nextDueAfter(now: number): number | undefined {
    const at = this.#db.get("SELECT min(due_at) AS at FROM message WHERE due_at > ?", now)?.["at"];
    return typeof at === "number" ? at : undefined;
  }

  /** Deletes a delivered message and stores its following messages. */
  finish(id: string, following: readonly NewMessage[], now: number): void {
    this.#db.transaction(() => {
      if (this.#db.run("DELETE FROM message WHERE id = ?", id) === 1) this.#follow(following, now);
    });
  }

  /** Schedules a failed message for `dueAt`. `unanswered` says that the destination did not respond, see `hasten`. */
  postpone(
    id: string,
    again: { retried: number; dueAt: number; unanswered: boolean },
    following: readonly NewMessage[],
    now: number,
  ): void {
    this.#db.transaction(() => {
      const changed = this.#db.run(
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
    this.#db.run("UPDATE message SET due_at = ? WHERE unanswered = 1 AND due_at > ?", now, now);
  }

  /** Moves a finally failed message to the dead letters. */
  bury(id: string, dlqId: string, answer: Answer, following: readonly NewMessage[], now: number): void {
    this.#db.transaction(() => {
      const buried = this.#db.run(
        `INSERT INTO dead_letter (dlq_id, id, retried, details, body, answer, died_at)
         SELECT ?, id, retried, details, body, ?, ? FROM message WHERE id = ?`,
        dlqId,
        JSON.stringify(answer),
        now,
        id,
      );
      this.#db.run("DELETE FROM message WHERE id = ?", id);
      if (buried === 1) this.#follow(following, now);
    });
  }

  find(id: string): Message | undefined {
    const row = this.#db.get("SELECT id, retried, details, body FROM message WHERE id = ?", id);
    return row && toMessage(row);
  }

  /** Deletes a message and returns whether it existed. An attempt under way is not stopped. */
  cancel(id: string): boolean {
    return this.#db.run("DELETE FROM message WHERE id = ?", id) === 1;
  }

  deadLetters(limit: number): DeadLetter[] {
    return this.#db.all("SELECT * FROM dead_letter ORDER BY seq LIMIT ?", limit).map(toDeadLetter);
  }

  findDeadLetter(dlqId: string): DeadLetter | undefined {
    const row = this.#db.get("SELECT * FROM dead_letter WHERE dlq_id = ?", dlqId);
    return row && toDeadLetter(row);
  }

  deleteDeadLetter(dlqId: string): boolean {
    return this.#db.run("DELETE FROM dead_letter WHERE dlq_id = ?", dlqId) === 1;
  }

  /** Changes the addresses of all messages. */
  rebase(moved: (url: string) => string): void {
    for (const message of this.#db.all("SELECT id, retried, details, body FROM message").map(toMessage)) {
      const details = rebasedTemplate(message.details, moved);
      this.#db.run("UPDATE message SET details = ? WHERE id = ?", JSON.stringify(details), message.id);
    }
  }

  #follow(following: readonly NewMessage[], now: number): void {
    for (const message of following) this.#add(message, now);
  }

  #add({ id, details, body, deduplicationKey: key }: NewMessage, now: number): Accepted {
    if (key !== undefined) {
      this.#db.run("DELETE FROM deduplication WHERE expires_at <= ?", now);
      const earlier = this.#db.get("SELECT message_id FROM deduplication WHERE key = ?", key)?.["message_id"];
      if (typeof earlier === "string") return { messageId: earlier, url: details.url, deduplicated: true };
      this.#db.run("INSERT INTO deduplication VALUES (?, ?, ?)", key, id, now + DEDUPLICATION_WINDOW_MS);
    }
    this.#db.run(
      "INSERT INTO message (id, due_at, retried, details, body) VALUES (?, ?, 0, ?, ?)",
      id,
      Math.round(details.notBefore),
      JSON.stringify(details),
      body,
    );
    return { messageId: id, url: details.url, deduplicated: false };
  }
}

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
