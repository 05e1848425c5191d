import type { NewEvent } from "./protocol.ts";

/** Rows stay well under SQLite's 2 MB limit in Durable Objects. */
const MAX_ROW_CHARS = 256 * 1024;
/** A page of replay: large enough to be fast, small enough not to hold up an append. */
const PAGE_ROWS = 200;
const MAX_PAGE_CHARS = 1024 * 1024;

export interface StoredEvent extends NewEvent {
  id: number;
}

export const EVENT_TABLES = `
  CREATE TABLE event_batch (first_id INTEGER PRIMARY KEY, last_id INTEGER NOT NULL, lines TEXT NOT NULL);`;

/**
 * The task's events in SQLite. A batch that was appended together is one row, with one line per event: `<type> <json>`;
 * so a replay only reads text. Knows SQL; knows nothing of HTTP.
 */
export class EventStore {
  readonly #sql: SqlStorage;
  #lastId: number;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    const { last } = sql
      .exec<{ last: number }>("SELECT coalesce(max(last_id), 0) AS last FROM event_batch")
      .one();
    this.#lastId = last;
  }

  get lastId(): number {
    return this.#lastId;
  }

  append(events: readonly NewEvent[]): StoredEvent[] {
    const stored = events.map((event, index) => ({ ...event, id: this.#lastId + 1 + index }));
    for (const batch of inRows(stored)) {
      const [first, last] = [batch[0], batch.at(-1)];
      if (!first || !last) continue;
      const lines = batch.map((event) => `${event.type} ${event.data}`).join("\n");
      this.#sql.exec(
        "INSERT INTO event_batch (first_id, last_id, lines) VALUES (?, ?, ?)",
        first.id,
        last.id,
        lines,
      );
    }
    this.#lastId += stored.length;
    return stored;
  }

  /** Returns the next page of events after an id; empty when there are none. */
  pageAfter(id: number): StoredEvent[] {
    const page: StoredEvent[] = [];
    let chars = 0;
    const rows = this.#sql.exec<{ first_id: number; lines: string }>(
      "SELECT first_id, lines FROM event_batch WHERE last_id > ? ORDER BY first_id LIMIT ?",
      id,
      PAGE_ROWS,
    );
    for (const row of rows) {
      let next = row.first_id;
      for (const line of row.lines.split("\n")) {
        const space = line.indexOf(" ");
        if (next > id) page.push({ id: next, type: line.slice(0, space), data: line.slice(space + 1) });
        next += 1;
      }
      chars += row.lines.length;
      if (chars >= MAX_PAGE_CHARS) break;
    }
    return page;
  }
}

function* inRows(events: readonly StoredEvent[]): Generator<StoredEvent[]> {
  let row: StoredEvent[] = [];
  let chars = 0;
  for (const event of events) {
    if (row.length > 0 && chars + event.data.length > MAX_ROW_CHARS) {
      yield row;
      row = [];
      chars = 0;
    }
    row.push(event);
    chars += event.data.length;
  }
  if (row.length > 0) yield row;
}
