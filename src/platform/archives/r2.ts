import { AppError } from "#src/lib/errors.ts";
import type { ArchiveStore, ListedArchive, StoredArchive } from "./archive-store.ts";

/**
 * Size of one part, and so the memory of an upload. R2 requires all parts but the last to have one size, of at least 5
 * MiB. Source: Cloudflare's R2 documentation, "Multipart upload", limits.
 */
const PART_BYTES = 8 * 1024 * 1024;

const CHUNK_BYTES = 256 * 1024;

/** Most names that R2 deletes in one call. */
const DELETED_AT_ONCE = 1000;

/** Archives in an R2 bucket. */
export function r2Archives(bucket: R2Bucket): ArchiveStore {
  return {
    put: (key, body) => put(bucket, key, body),

    async get(key, sha256) {
      const object = await reach(bucket.get(key));
      return object ? read(object.body, sha256) : undefined;
    },

    async read(key, range) {
      // An empty range is refused.
      if (range.length === 0) return new Uint8Array();
      const object = await reach(bucket.get(key, { range }));
      const bytes = object && new Uint8Array(await reach(object.arrayBuffer()));
      return bytes?.byteLength === range.length ? bytes : undefined;
    },

    async delete(keys) {
      for (let start = 0; start < keys.length; start += DELETED_AT_ONCE) {
        await reach(bucket.delete(keys.slice(start, start + DELETED_AT_ONCE)));
      }
    },

    list: (prefix) => list(bucket, prefix),
  };
}

async function put(bucket: R2Bucket, key: string, body: ReadableStream<Uint8Array>): Promise<StoredArchive> {
  const digest = newDigest();
  let upload: R2MultipartUpload | undefined;
  const parts: R2UploadedPart[] = [];
  let bytes = 0;
  try {
    for await (const { part, isLast } of inParts(body)) {
      bytes += part.byteLength;
      await digest.update(part);
      if (isLast && !upload) await reach(bucket.put(key, part));
      else {
        upload ??= await reach(bucket.createMultipartUpload(key));
        parts.push(await reach(upload.uploadPart(parts.length + 1, part)));
      }
    }
    await (upload && reach(upload.complete(parts)));
  } catch (error) {
    // R2 deletes an uncompleted upload after a week.
    await upload?.abort().catch(() => undefined);
    throw error;
  }
  return { bytes, sha256: await digest.end() };
}

/**
 * Cuts a stream into parts of one size; the last one may be smaller. A part is valid only until the next is requested.
 */
async function* inParts(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ part: Uint8Array; isLast: boolean }> {
  const buffer = new Uint8Array(PART_BYTES);
  let filled = 0;
  for await (const chunk of body) {
    for (let taken = 0; taken < chunk.byteLength;) {
      // A full part is yielded when more bytes follow, so that the last part is known as the last.
      if (filled === PART_BYTES) {
        yield { part: buffer, isLast: false };
        filled = 0;
      }
      const piece = chunk.subarray(taken, taken + PART_BYTES - filled);
      buffer.set(piece, filled);
      filled += piece.byteLength;
      taken += piece.byteLength;
    }
  }
  yield { part: buffer.subarray(0, filled), isLast: true };
}

async function* list(bucket: R2Bucket, prefix: string): AsyncGenerator<ListedArchive> {
  let cursor: string | undefined;
  do {
    const page = await reach(bucket.list({ prefix, ...(cursor === undefined ? {} : { cursor }) }));
    for (const { key, uploaded } of page.objects) yield { key, storedAt: uploaded };
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
}

/** Reads a stored stream in chunks of a useful size: by default they have 4 KiB. */
function read(body: ReadableStream<Uint8Array>, sha256: string | undefined): ReadableStream<Uint8Array> {
  const reader = body.getReader({ mode: "byob" });
  const digest = sha256 === undefined ? undefined : newDigest();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await reach(reader.readAtLeast(CHUNK_BYTES, new Uint8Array(CHUNK_BYTES)));
        if (value && value.byteLength > 0) {
          await digest?.update(value);
          controller.enqueue(value);
        }
        if (!done) return;
        if (digest && (await digest.end()) !== sha256) {
          throw new AppError("unavailable", "The archive is damaged: its checksum is wrong");
        }
        controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

function newDigest() {
  const stream = new crypto.DigestStream("SHA-256");
  const writer = stream.getWriter();
  return {
    update: (chunk: Uint8Array) => writer.write(chunk),
    async end(): Promise<string> {
      await writer.close();
      const bytes = new Uint8Array(await stream.digest);
      return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    },
  };
}

async function reach<T>(pending: Promise<T>): Promise<T> {
  try {
    return await pending;
  } catch (cause) {
    throw new AppError("unavailable", "The archive did not answer; try again", { cause });
  }
}
