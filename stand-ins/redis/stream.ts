import { RedisError, type Reply } from "./reply.ts";

/** An entry's id: milliseconds and a sequence number within them. */
export interface StreamId {
  ms: number;
  seq: number;
}

export interface StreamEntry {
  id: StreamId;
  /** Field, value, field, value … */
  fields: string[];
}

export interface Pending {
  id: StreamId;
  consumer: string;
  deliveredAt: number;
  deliveries: number;
}

export interface Group {
  lastDelivered: StreamId;
  /** By the id's text, in the order of the ids. */
  pending: Map<string, Pending>;
}

export const FIRST: StreamId = { ms: 0, seq: 0 };
export const LAST: StreamId = { ms: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER };

export const compareIds = (a: StreamId, b: StreamId): number => a.ms - b.ms || a.seq - b.seq;
export const idText = ({ ms, seq }: StreamId): string => `${ms}-${seq}`;
export const entryReply = ({ id, fields }: StreamEntry): Reply => [idText(id), fields];

/** Parses `ms-seq`, or `ms` alone with the given sequence number. */
export function parseId(text: string, missingSeq: number): StreamId {
  const [, ms, seq] = /^(\d+)(?:-(\d+))?$/u.exec(text) ?? [];
  if (ms === undefined) throw new RedisError("ERR Invalid stream ID specified as stream command argument");
  return { ms: Number(ms), seq: seq === undefined ? missingSeq : Number(seq) };
}

/** A stream: entries in the order of their ids, and the state of its consumer groups. */
export class Stream {
  #entries: StreamEntry[] = [];
  #lastId: StreamId = FIRST;
  readonly groups = new Map<string, Group>();

  get length(): number {
    return this.#entries.length;
  }

  get lastId(): StreamId {
    return this.#lastId;
  }

  /** `wanted` is `*` or an id above the last one. */
  add(wanted: string, fields: string[], now: number): StreamId {
    const id = wanted === "*" ? this.#nextId(now) : parseId(wanted, 0);
    if (compareIds(id, this.#lastId) <= 0)
      throw new RedisError(
        "ERR The ID specified in XADD is equal or smaller than the target stream top item",
      );
    this.#entries.push({ id, fields });
    this.#lastId = id;
    return id;
  }

  get(id: StreamId): StreamEntry | undefined {
    const found = this.#entries[this.#indexFrom(id)];
    return found && compareIds(found.id, id) === 0 ? found : undefined;
  }

  /** Returns the entries from `start` to `end`, inclusive. */
  range(start: StreamId, end: StreamId, count = Infinity): StreamEntry[] {
    const from = this.#indexFrom(start);
    const page = this.#entries.slice(from, from + count);
    return page.filter(({ id }) => compareIds(id, end) <= 0);
  }

  after(id: StreamId, count = Infinity): StreamEntry[] {
    return this.range({ ms: id.ms, seq: id.seq + 1 }, LAST, count);
  }

  delete(id: StreamId): boolean {
    const index = this.#indexFrom(id);
    const found = this.#entries[index];
    if (!found || compareIds(found.id, id) !== 0) return false;
    this.#entries.splice(index, 1);
    return true;
  }

  /** Keeps the newest `length` entries; returns how many were removed. */
  trim(length: number): number {
    const excess = Math.max(0, this.#entries.length - length);
    this.#entries.splice(0, excess);
    return excess;
  }

  /** Returns the index of the first entry at or above the id, by bisection. */
  #indexFrom(id: StreamId): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#entries[middle];
      if (entry && compareIds(entry.id, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #nextId(now: number): StreamId {
    if (now > this.#lastId.ms) return { ms: now, seq: 0 };
    return { ms: this.#lastId.ms, seq: this.#lastId.seq + 1 };
  }
}
