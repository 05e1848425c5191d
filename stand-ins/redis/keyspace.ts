import { RedisError } from "./reply.ts";
import { Stream } from "./stream.ts";

interface Entry {
  value: string | Stream;
  /** Milliseconds since the epoch; absent = never. */
  expiresAt?: number | undefined;
}

/** All keys with their values, in memory; an expired key counts as absent. */
export class Keyspace {
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  now(): number {
    return this.#now();
  }

  string(key: string): string | undefined {
    const value = this.#live(key)?.value;
    if (value instanceof Stream) throw wrongType();
    return value;
  }

  setString(key: string, value: string, expiresAt?: number): void {
    this.#entries.set(key, { value, expiresAt });
  }

  stream(key: string): Stream | undefined {
    const value = this.#live(key)?.value;
    if (typeof value === "string") throw wrongType();
    return value;
  }

  /** Returns the stream, creating it if there is none. */
  openStream(key: string): Stream {
    const found = this.stream(key);
    if (found) return found;
    const made = new Stream();
    this.#entries.set(key, { value: made });
    return made;
  }

  has(key: string): boolean {
    return this.#live(key) !== undefined;
  }

  delete(key: string): boolean {
    return this.has(key) && this.#entries.delete(key);
  }

  /** Returns when the key expires; `undefined` = never, or there is no such key. */
  expiry(key: string): number | undefined {
    return this.#live(key)?.expiresAt;
  }

  /** Sets the expiry and returns whether the key existed. A time in the past deletes it. */
  expireAt(key: string, at: number): boolean {
    const entry = this.#live(key);
    if (!entry) return false;
    entry.expiresAt = at;
    return true;
  }

  keys(): string[] {
    for (const key of this.#entries.keys()) this.#live(key);
    return [...this.#entries.keys()];
  }

  #live(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry?.expiresAt === undefined || entry.expiresAt > this.now()) return entry;
    this.#entries.delete(key);
    return undefined;
  }
}

function wrongType(): RedisError {
  return new RedisError("WRONGTYPE Operation against a key holding the wrong kind of value");
}
