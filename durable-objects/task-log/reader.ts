import { eventFrame, KEEP_ALIVE } from "#src/lib/server-sent-events.ts";
import type { StoredEvent } from "./event-store.ts";

const encoder = new TextEncoder();

/**
 * Most bytes that a live reader may be behind before it is disconnected; it returns with its last id and is served from
 * the log.
 */
const MAX_BEHIND_BYTES = 4 * 1024 * 1024;

/** Formats events as Server-Sent Events. */
export function toSse(events: readonly StoredEvent[]): Uint8Array {
  let text = "";
  for (const event of events) text += eventFrame(event);
  return encoder.encode(text);
}

export const HEARTBEAT = encoder.encode(KEEP_ALIVE);

/** One connected reader: replayed pages wait for it, live events do not. */
export class Reader {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #onGone: (reader: Reader) => void;
  /** Bytes handed over and not yet received. */
  #behindBytes = 0;
  #waiting: Uint8Array[] = [];
  #writing = false;
  #ending = false;
  #gone = false;

  constructor(writable: WritableStream<Uint8Array>, onGone: (reader: Reader) => void) {
    this.#writer = writable.getWriter();
    this.#onGone = onGone;
    this.#writer.closed.catch(() => this.#leave());
  }

  get gone(): boolean {
    return this.#gone;
  }

  /** Resolves when the reader has received the page. */
  async page(bytes: Uint8Array): Promise<void> {
    try {
      await this.#writer.write(bytes);
    } catch {
      this.#leave();
    }
  }

  /** Hands over bytes without waiting. Bytes that arrive during a write go together into the next one. */
  push(bytes: Uint8Array): void {
    if (this.#gone) return;
    this.#behindBytes += bytes.byteLength;
    if (this.#behindBytes > MAX_BEHIND_BYTES) {
      this.#leave();
      this.#writer.abort("too far behind").catch(() => {});
      return;
    }
    if (this.#writing) this.#waiting.push(bytes);
    else this.#write(bytes);
  }

  /** Ends the stream once all bytes handed over are written. */
  end(): void {
    this.#ending = true;
    if (!this.#writing) this.#close();
  }

  #write(bytes: Uint8Array): void {
    this.#writing = true;
    this.#writer.write(bytes).then(
      () => this.#written(bytes.byteLength),
      () => this.#leave(),
    );
  }

  #written(length: number): void {
    this.#behindBytes -= length;
    this.#writing = false;
    if (this.#waiting.length > 0) this.#write(joined(this.#waiting.splice(0)));
    else if (this.#ending) this.#close();
  }

  #close(): void {
    this.#gone = true;
    this.#writer.close().catch(() => {});
  }

  #leave(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#onGone(this);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}
