import type { StoredEvent } from "./event-store.ts";
import { HEARTBEAT, toSse, type Reader } from "./reader.ts";

const HEARTBEAT_MS = 15_000;

/**
 * A write to one reader costs some 50 µs of the only thread, so with many readers events are gathered for this long per
 * reader before they are sent: not at all for one reader, 50 ms for five hundred.
 */
const PAUSE_PER_READER_MS = 0.1;

/** The live readers of a task. Kept in memory only: a lost reader returns with its last id. */
export class Audience {
  readonly #readers = new Set<Reader>();
  #gathered: StoredEvent[] = [];
  #pause: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  /** From here on the reader receives new events; it has read all earlier ones. */
  join(reader: Reader): void {
    this.#send(); // gathered events are before the reader's position
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

  /** Sends events at once, or, shortly after the last send, together with later ones. */
  tell(events: readonly StoredEvent[]): void {
    if (events.length === 0 || this.#readers.size === 0) return;
    this.#gathered.push(...events);
    if (this.#pause === undefined) this.#sendAndPause();
  }

  /** Sends all gathered events, then ends every stream. */
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
