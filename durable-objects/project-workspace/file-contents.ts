import { AppError } from "#src/lib/errors.ts";
import type { Log } from "#src/platform/log/log.ts";
import { FileError } from "./file-error.ts";
import { inParts } from "./in-parts.ts";

/**
 * Files up to this size are stored in the object's own database, whose rows hold at most 2 MB; larger ones in the
 * bucket.
 */
const INLINE_BYTES = 1024 * 1024;
/** Size of the parts of a large upload; all but the last must have the same size of at least 5 MiB. */
const PART_BYTES = 8 * 1024 * 1024;
/** How long an unreferenced object stays, so that its readers and its upload can finish. */
const GRACE_MS = 15 * 60 * 1000;
/** Most objects that one call to the bucket deletes. */
const DELETE_BATCH = 1000;

/** Stored bytes that are not part of a file yet. */
export interface StoredContent {
  id: string;
  size: number;
  /** The bytes themselves when they are small; otherwise they are in the bucket already. */
  inline?: Uint8Array;
}

/**
 * The bytes of a project's files. A content has an id and is immutable, so a reader never sees half of a write and two
 * writers never mix. Small contents are named by their digest: the next snapshot recognises a restored file. Objects of
 * failed uploads are listed in `unreferenced` and swept.
 */
export class FileContents {
  readonly #storage: DurableObjectStorage;
  readonly #bucket: R2Bucket;
  readonly #prefix: string;
  readonly #now: () => number;
  readonly #log: Log;

  constructor(deps: {
    storage: DurableObjectStorage;
    bucket: R2Bucket;
    /** Prefix of the project's objects in the bucket; ends with a slash. */
    prefix: string;
    now: () => number;
    log: Log;
  }) {
    this.#storage = deps.storage;
    this.#bucket = deps.bucket;
    this.#prefix = deps.prefix;
    this.#now = deps.now;
    this.#log = deps.log;
  }

  async store(bytes: Uint8Array): Promise<StoredContent> {
    if (bytes.length <= INLINE_BYTES) return { id: await digestOf(bytes), size: bytes.length, inline: bytes };
    const id = crypto.randomUUID();
    await this.#expect(id);
    await this.#reach(() => this.#bucket.put(this.#key(id), bytes));
    return { id, size: bytes.length };
  }

  /** Stores a content of unknown length, with one part in memory. `EFBIG` above `limit` bytes. */
  async storeChunks(path: string, chunks: AsyncIterable<Uint8Array>, limit: number): Promise<StoredContent> {
    const parts = inParts(chunks, PART_BYTES);
    let part = await parts.next();
    const first = part.done ? new Uint8Array() : part.value;
    if (first.length > limit) {
      await parts.return(undefined);
      throw new FileError("EFBIG", path);
    }
    if (first.length < PART_BYTES) return this.store(first);

    const id = crypto.randomUUID();
    await this.#expect(id);
    const upload = await this.#reach(() => this.#bucket.createMultipartUpload(this.#key(id)));
    try {
      const uploaded: R2UploadedPart[] = [];
      let size = 0;
      for (; !part.done; part = await parts.next()) {
        size += part.value.length;
        if (size > limit) throw new FileError("EFBIG", path);
        const { value } = part;
        uploaded.push(await this.#reach(() => upload.uploadPart(uploaded.length + 1, value)));
        await this.#expect(id);
      }
      await this.#reach(() => upload.complete(uploaded));
      return { id, size };
    } catch (error) {
      await parts.return(undefined);
      // Best effort: the bucket deletes unfinished uploads after a week.
      await upload.abort().catch(() => undefined);
      throw error;
    }
  }

  /** Same as `storeChunks` for a content of known length. Throws when the length differs. */
  async storeExactly(path: string, chunks: AsyncIterable<Uint8Array>, size: number): Promise<StoredContent> {
    if (size > PART_BYTES) {
      const stored = await this.storeChunks(path, chunks, size);
      if (stored.size !== size) throw new FileError("EPIPE", path);
      return stored;
    }
    const bytes = new Uint8Array(size);
    let filled = 0;
    for await (const chunk of chunks) {
      if (filled + chunk.length > size) throw new FileError("EFBIG", path);
      bytes.set(chunk, filled);
      filled += chunk.length;
    }
    if (filled !== size) throw new FileError("EPIPE", path);
    return this.store(bytes);
  }

  async load(id: string): Promise<Uint8Array> {
    return this.#inline(id) ?? new Uint8Array(await (await this.#get(id)).arrayBuffer());
  }

  async open(id: string): Promise<ReadableStream<Uint8Array>> {
    const inline = this.#inline(id);
    return inline ? new Blob([inline]).stream() : (await this.#get(id)).body;
  }

  /** Yields the content as it arrives; a small one in one piece. */
  async *read(id: string): AsyncGenerator<Uint8Array, undefined> {
    const inline = this.#inline(id);
    if (inline) yield inline;
    else yield* (await this.#get(id)).body;
  }

  /** Deletes objects that were unreferenced for a while. Returns whether some remain for a later sweep. */
  async sweep(): Promise<boolean> {
    const { sql } = this.#storage;
    const due = sql
      .exec<{ id: string }>(
        "SELECT content_id AS id FROM unreferenced WHERE since <= ? LIMIT ?",
        this.#now() - GRACE_MS,
        DELETE_BATCH,
      )
      .toArray()
      .map(({ id }) => id);
    if (due.length > 0) await this.#bucket.delete(due.map((id) => this.#key(id)));
    for (const id of due) sql.exec("DELETE FROM unreferenced WHERE content_id = ?", id);
    return sql.exec("SELECT 1 FROM unreferenced LIMIT 1").toArray().length > 0;
  }

  /** Schedules a sweep if there is anything to sweep. */
  async scheduleSweep(): Promise<void> {
    if (this.#storage.sql.exec("SELECT 1 FROM unreferenced LIMIT 1").toArray().length === 0) return;
    if ((await this.#storage.getAlarm()) === null) await this.#storage.setAlarm(this.#now() + GRACE_MS);
  }

  /** Deletes all objects of the project in the bucket, referenced or not. */
  async deleteAll(): Promise<void> {
    for (;;) {
      const { objects } = await this.#bucket.list({ prefix: this.#prefix, limit: DELETE_BATCH });
      if (objects.length === 0) return;
      await this.#bucket.delete(objects.map(({ key }) => key));
    }
  }

  #inline(id: string): Uint8Array<ArrayBuffer> | undefined {
    const row = this.#storage.sql
      .exec<{ bytes: ArrayBuffer }>("SELECT bytes FROM contents WHERE content_id = ?", id)
      .toArray()[0];
    return row && new Uint8Array(row.bytes);
  }

  /**
   * Lists an object as unreferenced before it exists (and while it grows), so that no crash can leave an unknown
   * object.
   */
  async #expect(id: string): Promise<void> {
    this.#storage.sql.exec(
      "INSERT OR REPLACE INTO unreferenced (content_id, since) VALUES (?, ?)",
      id,
      this.#now(),
    );
    await this.scheduleSweep();
  }

  async #get(id: string): Promise<R2ObjectBody> {
    const object = await this.#reach(() => this.#bucket.get(this.#key(id)));
    if (!object) {
      this.#log.error("file bucket has lost an object", { key: this.#key(id) });
      throw new AppError("internal", "The content of this file is lost");
    }
    return object;
  }

  /** Maps failures of the bucket to a temporary error; the cause is only logged. */
  async #reach<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (cause) {
      this.#log.error("file bucket failed", { cause });
      throw new AppError("unavailable", "File storage did not answer; try again", { cause });
    }
  }

  #key(id: string): string {
    return `${this.#prefix}${id}`;
  }
}

/** Returns the SHA-256 as 64 hexadecimal characters. */
async function digestOf(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}
