import { Duplex } from "node:stream";
import type { PGlite } from "@electric-sql/pglite";

/** Frontend message types of PostgreSQL's protocol 3.0 that end a request. Source: PostgreSQL manual, 53.7. */
const SYNC = 0x53;
const QUERY = 0x51;
const TERMINATE = 0x58;

/**
 * A socket for `pg` that speaks PostgreSQL's wire protocol with PGlite in this process. A request (everything up to its
 * Sync) is one call into PGlite, four times as fast as a TCP server that relays single messages. PGlite is one backend,
 * so only one such stream may be open.
 */
export class PgliteStream extends Duplex {
  readonly #pglite: PGlite;
  #pending: Buffer = Buffer.alloc(0);
  #started = false;

  constructor(pglite: PGlite) {
    super();
    this.#pglite = pglite;
  }

  /** `pg` calls these on its socket. */
  connect(): this {
    queueMicrotask(() => this.emit("connect"));
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#take([chunk], done);
  }

  /** What was written while requests ran goes into one call. */
  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#take(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  #take(chunks: readonly Buffer[], done: (error?: Error) => void): void {
    const bytes = Buffer.concat([this.#pending, ...chunks]);
    const length = this.#completeLength(bytes);
    this.#pending = bytes.subarray(length);
    if (length === 0) return done();
    void this.#run(bytes.subarray(0, length), done);
  }

  async #run(request: Buffer, done: (error?: Error) => void): Promise<void> {
    const onRawData = (data: Uint8Array) => void this.push(Buffer.from(data));
    try {
      await this.#pglite.runExclusive(() => this.#pglite.execProtocolRawStream(request, { onRawData }));
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Returns how many of the bytes make up whole requests. */
  #completeLength(bytes: Buffer): number {
    let offset = 0;
    let complete = 0;
    if (!this.#started) {
      // The start-up message has a length but no type.
      if (bytes.length < 4 || bytes.length < bytes.readInt32BE(0)) return 0;
      offset = complete = bytes.readInt32BE(0);
      this.#started = true;
    }
    while (bytes.length - offset >= 5) {
      const type = bytes[offset];
      const end = offset + 1 + bytes.readInt32BE(offset + 1);
      if (end > bytes.length) break;
      // Terminate is not passed on, because PGlite's only backend must outlive the connection.
      if (type === TERMINATE) {
        this.push(null);
        break;
      }
      offset = end;
      if (type === SYNC || type === QUERY) complete = end;
    }
    return complete;
  }
}
