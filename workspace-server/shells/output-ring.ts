import { Change } from "../programs/change.ts";

/** Bytes that are kept of one session's output. */
const KEPT_BYTES = 10 * 1024 * 1024;
/** Most bytes that one read returns. */
const READ_BYTES = 1024 * 1024;

/** The last bytes of an output, by their position from its beginning, for readers and watchers. */
export class OutputRing {
  #chunks: Uint8Array[] = [];
  #start = 0;
  #end = 0;
  #isClosed = false;
  readonly #change = new Change();

  /** Position after the last byte. */
  get end(): number {
    return this.#end;
  }

  /** Bytes that are kept. */
  get size(): number {
    return this.#end - this.#start;
  }

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#end += chunk.byteLength;
    for (let first = this.#chunks[0]; first && this.size - first.byteLength >= KEPT_BYTES;) {
      this.#start += first.byteLength;
      this.#chunks.shift();
      first = this.#chunks[0];
    }
    this.#change.announce();
  }

  /** Marks the end of the output. */
  close(): void {
    this.#isClosed = true;
    this.#change.announce();
  }

  /** Returns bytes from a position on, or from the first stored one. */
  read(position: number): { data: Uint8Array; start: number; end: number } {
    const start = Math.min(Math.max(position, this.#start), this.#end);
    const taken: Uint8Array[] = [];
    let size = 0;
    let at = this.#start;
    for (const chunk of this.#chunks) {
      if (size === READ_BYTES) break;
      const from = Math.max(start - at, 0);
      at += chunk.byteLength;
      const piece = chunk.subarray(from, from + READ_BYTES - size);
      if (piece.byteLength === 0) continue;
      taken.push(piece);
      size += piece.byteLength;
    }
    return { data: Buffer.concat(taken), start, end: start + size };
  }

  /** Yields the output from a position on, until it ends or the signal aborts. */
  async *watch(position: number, signal: AbortSignal): AsyncGenerator<Uint8Array, undefined> {
    let next = position;
    while (!signal.aborted) {
      const { data, end } = this.read(next);
      if (data.byteLength > 0) {
        next = end;
        yield data;
      } else if (this.#isClosed) return;
      else await this.#change.next(signal);
    }
  }
}
