import type { StoredEvent } from "./event-store.ts";
import { HEARTBEAT, toSse, type Reader } from "./reader.ts";

const HEARTBEAT_MS = 15_000;

/**
 * A write to one reader costs some 50 µs of the only thread there is, so with many readers events are gathered for this
 * long per reader before they are sent: nothing for one, 50 ms for five hundred.
 */
const PAUSE_PER_READER_MS = 0.1;

/** Everyone who follows a task live. Lives in memory only: whoever is lost comes back with a last id. */
export class Audience {
  readonly #readers = new Set<Reader>();
  #gathered: StoredEvent[] = [];
  #pause: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  /** From here on the reader is told what happens; it has read everything before. */
  join(reader: Reader): void {
    this.#send(); // what is gathered is before the reader's position already
    this.#readers.add(reader);
    reader.push(HEARTBEAT);
    this.#heartbeat ??= setInterval(() => {
      for (const each of this.#readers) each.push(HEARTBEAT);
    }, HEARTBEAT_MS);
  }

  leave(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size === 0) this.#rest();
  }

  /** At once, unless it was told something just now; then together with what follows. */
  tell(events: readonly StoredEvent[]): void {
    if (events.length === 0 || this.#readers.size === 0) return;
    this.#gathered.push(...events);
    if (this.#pause === undefined) this.#sendAndPause();
  }

  /** All that was told is sent, then every stream ends. */
  dismiss(): void {
    this.#send();
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
    this.#rest();
  }

  #sendAndPause(): void {
    this.#send();
    const ms = this.#readers.size * PAUSE_PER_READER_MS;
    if (ms < 1) return;
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#gathered.length > 0) this.#sendAndPause();
    }, ms);
  }

  #send(): void {
    if (this.#gathered.length === 0) return;
    const bytes = toSse(this.#gathered);
    this.#gathered = [];
    for (const reader of this.#readers) reader.push(bytes);
  }

  #rest(): void {
    this.#gathered = [];
    clearTimeout(this.#pause);
    clearInterval(this.#heartbeat);
    this.#pause = undefined;
    this.#heartbeat = undefined;
  }
}
