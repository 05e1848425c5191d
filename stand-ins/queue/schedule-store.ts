import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import type { Database, Row } from "#stand-ins/shared/sqlite.ts";
import { Template } from "./message.ts";
import { rebasedTemplate } from "./public-address.ts";
import { nextAfter, scheduledMessage, type Schedule } from "./schedule.ts";
import type { QueueStore } from "./store.ts";

export const SCHEDULE_TABLE = `
  CREATE TABLE IF NOT EXISTS schedule (
    id TEXT PRIMARY KEY, cron TEXT NOT NULL, next_at INTEGER NOT NULL, template TEXT NOT NULL, body BLOB NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
`;

export class ScheduleStore {
  readonly #db: Database;
  readonly #messages: QueueStore;

  /**
   * A store in a database with its table. Minutes that came while the queue was off are skipped: QStash's documentation
   * promises no delivery for minutes that it missed.
   */
  constructor(db: Database, messages: QueueStore, now: number) {
    this.#db = db;
    this.#messages = messages;
    for (const schedule of this.#due(now)) this.#moveOn(schedule, now);
  }

  /** Creates a schedule or replaces the one with its id, which keeps a minute that is due if its minutes are the same. */
  put({ id, cron, nextAt, template, body, createdAt }: Schedule): void {
    this.#db.run(
      `INSERT INTO schedule (id, cron, next_at, template, body, created_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET template = excluded.template, body = excluded.body, cron = excluded.cron,
         next_at = CASE WHEN cron = excluded.cron THEN next_at ELSE excluded.next_at END`,
      id,
      cron,
      nextAt,
      JSON.stringify(template),
      body,
      createdAt,
    );
  }

  all(): Schedule[] {
    return this.#db.all("SELECT * FROM schedule ORDER BY id").map(toSchedule);
  }

  find(id: string): Schedule | undefined {
    const row = this.#db.get("SELECT * FROM schedule WHERE id = ?", id);
    return row && toSchedule(row);
  }

  /** Deletes a schedule and returns whether it existed. Its messages are delivered all the same, as by QStash. */
  delete(id: string): boolean {
    return this.#db.run("DELETE FROM schedule WHERE id = ?", id) === 1;
  }

  /** Publishes one message for each schedule that is due, however many of its minutes have come. */
  publishDue(now: number): void {
    const due = this.#due(now);
    if (due.length === 0) return;
    this.#db.transaction(() => {
      this.#messages.add(
        due.map((schedule) => scheduledMessage(schedule, now)),
        now,
      );
      for (const schedule of due) this.#moveOn(schedule, now);
    });
  }

  /** Returns when the next schedule becomes due, in milliseconds since the epoch. */
  nextDueAfter(now: number): number | undefined {
    const at = this.#db.get("SELECT min(next_at) AS at FROM schedule WHERE next_at > ?", now)?.["at"];
    return typeof at === "number" ? at : undefined;
  }

  /** Changes the addresses of all schedules. */
  rebase(moved: (url: string) => string): void {
    for (const { id, template } of this.all()) {
      const changed = JSON.stringify(rebasedTemplate(template, moved));
      this.#db.run("UPDATE schedule SET template = ? WHERE id = ?", changed, id);
    }
  }

  #due(now: number): Schedule[] {
    return this.#db.all("SELECT * FROM schedule WHERE next_at <= ? ORDER BY next_at", now).map(toSchedule);
  }

  #moveOn({ id, cron }: Schedule, now: number): void {
    this.#db.run("UPDATE schedule SET next_at = ? WHERE id = ?", nextAfter(cron, now), id);
  }
}

const ScheduleRow = z.object({
  id: z.string(),
  cron: z.string(),
  next_at: z.number(),
  template: z.string(),
  body: z.instanceof(Uint8Array),
  created_at: z.number(),
});

function toSchedule(row: Row): Schedule {
  const { id, cron, next_at: nextAt, template, body, created_at: createdAt } = ScheduleRow.parse(row);
  return { id, cron, nextAt, template: parseJson(template, Template), body, createdAt };
}
