import type Stripe from "stripe";
import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import type { Database, Row } from "#stand-ins/shared/sqlite.ts";
import { newId } from "./store.ts";

/**
 * Events and their delivery. `outcome` is `waiting` until the service has acknowledged the event, `delivered`, `dropped`
 * (on a test's order) or `given up`.
 */
export const EVENT_TABLE = `
  CREATE TABLE IF NOT EXISTS event (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL, object_id TEXT NOT NULL, body TEXT NOT NULL,
    created_at INTEGER NOT NULL, due_at INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    outcome TEXT NOT NULL DEFAULT 'waiting', failure TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS event_due ON event (outcome, due_at);
`;

const EventRow = z.object({
  id: z.string(),
  type: z.string(),
  object_id: z.string(),
  body: z.string(),
  created_at: z.number(),
  attempts: z.number(),
  outcome: z.enum(["waiting", "delivered", "dropped", "given up"]),
  failure: z.string().nullable(),
});

/** An event as it is stored; `body` is what is sent, unchanged at every attempt. */
export type StoredEvent = z.infer<typeof EventRow>;

/** The version that the SDK pins, and so that of all objects here. */
export const API_VERSION: Stripe.LatestApiVersion = "2026-10-28.endive";

/** The events of the account. Times are milliseconds since the epoch. */
export class EventStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Stores an event over an object as it is now. */
  add(type: Stripe.Event["type"], object: object, now: number): void {
    const id = newId("evt_");
    const event = {
      id,
      object: "event",
      api_version: API_VERSION,
      created: Math.floor(now / 1000),
      data: { object },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    } satisfies Stripe.EventBase;
    this.#db.run(
      "INSERT INTO event (id, type, object_id, body, created_at, due_at) VALUES (?, ?, ?, ?, ?, ?)",
      id,
      type,
      z.object({ id: z.string() }).safeParse(object).data?.id ?? "",
      JSON.stringify(event, undefined, 2),
      now,
      now,
    );
  }

  /** Returns what waits and is due, oldest first. */
  due(now: number, limit: number): StoredEvent[] {
    const sql = "SELECT * FROM event WHERE outcome = 'waiting' AND due_at <= ? ORDER BY seq LIMIT ?";
    return this.#db.all(sql, now, limit).map(toEvent);
  }

  nextDueAfter(now: number): number | undefined {
    const sql = "SELECT min(due_at) AS at FROM event WHERE outcome = 'waiting' AND due_at > ?";
    const at = this.#db.get(sql, now)?.["at"];
    return typeof at === "number" ? at : undefined;
  }

  /** Stores the end of an attempt. */
  settle(id: string, outcome: StoredEvent["outcome"], { dueAt = 0, failure = "" } = {}): void {
    this.#db.run(
      "UPDATE event SET outcome = ?, due_at = max(due_at, ?), failure = ?, attempts = attempts + 1 WHERE id = ?",
      outcome,
      dueAt,
      failure === "" ? null : failure,
      id,
    );
  }

  /** Makes due what only waits for the service to be back. */
  hasten(now: number): void {
    this.#db.run("UPDATE event SET due_at = ? WHERE outcome = 'waiting' AND due_at > ?", now, now);
  }

  /** Has an event sent once more, also one that was acknowledged; returns whether the event exists. */
  again(id: string, now: number): boolean {
    return (
      this.#db.run("UPDATE event SET outcome = 'waiting', due_at = ?, attempts = 0 WHERE id = ?", now, id) ===
      1
    );
  }

  /** Returns the newest first. */
  list(limit: number): StoredEvent[] {
    return this.#db.all("SELECT * FROM event ORDER BY seq DESC LIMIT ?", limit).map(toEvent);
  }
}

function toEvent(row: Row): StoredEvent {
  return EventRow.parse(row);
}

/** Parses what was sent. */
export function eventBody({ body }: StoredEvent): unknown {
  return parseJson(body, z.unknown());
}
