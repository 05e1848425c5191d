import { createHash } from "node:crypto";
import { AppError } from "#src/lib/errors.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";

interface Stored {
  bytes: Uint8Array<ArrayBuffer>;
  storedAt: Date;
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Archives in memory, which a test can look at and break. */
export function memoryArchives(): ArchiveStore & { objects: Map<string, Stored> } {
  const objects = new Map<string, Stored>();
  return {
    objects,
    async put(key, body) {
      const bytes = new Uint8Array(await new Response(body).arrayBuffer());
      objects.set(key, { bytes, storedAt: new Date() });
      return { bytes: bytes.byteLength, sha256: sha256(bytes) };
    },
    async get(key, expected) {
      const stored = objects.get(key);
      if (!stored) return undefined;
      const isRight = expected === undefined || sha256(stored.bytes) === expected;
      const check = new TransformStream<Uint8Array, Uint8Array>({
        flush() {
          if (!isRight) throw new AppError("unavailable", "The archive is damaged: its checksum is wrong");
        },
      });
      return new Blob([stored.bytes]).stream().pipeThrough(check);
    },
    async read(key, { offset, length }) {
      const bytes = objects.get(key)?.bytes.slice(offset, offset + length);
      return bytes?.byteLength === length ? bytes : undefined;
    },
    async delete(keys) {
      for (const key of keys) objects.delete(key);
    },
    async *list(prefix) {
      for (const [key, { storedAt }] of objects) if (key.startsWith(prefix)) yield { key, storedAt };
    },
  };
}
