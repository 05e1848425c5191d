import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { storeBundle, storeSourceArchive } from "#src/domain/hosting/bundles/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { toStream } from "#src/lib/to-stream.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { ProjectStorage } from "#src/platform/runtime/project-storage.ts";
import { collectGarbage } from "#test/support/collect-garbage.ts";
import { newScene } from "./scene.ts";
import { treeOf } from "./trees.ts";

const MEBIBYTE = 1024 * 1024;
const FILE_BYTES = 20 * MEBIBYTE;
const CHUNK_BYTES = 256 * 1024;
const FILES = 5;
/** In memory while an archive is made. */
const MOST_BYTES = 100 * MEBIBYTE;

/** Bytes of buffers more than there were. What nothing refers to any more counts only while it is little. */
async function memorySince(before: number): Promise<number> {
  const more = () => process.memoryUsage().arrayBuffers - before;
  if (more() >= MOST_BYTES) await collectGarbage();
  return more();
}

/** The content of a file; each chunk is another one. */
async function* contentOf(file: number, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < length; at += CHUNK_BYTES) {
    const chunk = new Uint8Array(CHUNK_BYTES);
    new DataView(chunk.buffer).setFloat64(0, file * length + at);
    yield chunk;
  }
}

const fileOf = (path: string) => Number(/\d+/u.exec(path)?.[0]);

it("of 100 MB is stored, and made an archive, with one file in memory at a time", async () => {
  /** Bytes that were read from the project and not yet taken by the store. */
  let held = 0;
  let most = 0;
  const paths = Array.from({ length: FILES }, (_, file) => `dist/${file}`);
  const entries = treeOf(paths).map((entry) =>
    entry.kind === "file" ? { ...entry, size: FILE_BYTES } : entry,
  );
  async function* contentHeld(file: number) {
    for await (const chunk of contentOf(file, FILE_BYTES)) {
      held += chunk.byteLength;
      most = Math.max(most, held);
      yield chunk;
    }
  }
  const runtime: Pick<ProjectStorage, "inventory" | "readEntries"> = {
    inventory: async () => entries,
    readEntries: async (asked) =>
      (async function* () {
        for (const entry of entries.filter(({ path }) => asked.includes(path)))
          yield { entry, content: contentHeld(fileOf(entry.path)) };
      })(),
  };

  const objects = new Map<string, Uint8Array<ArrayBuffer>>();
  const packed = createHash("sha256");
  let packBytes = 0;
  let archiveBytes = 0;
  const archives: ArchiveStore = {
    // Takes one chunk after the other, as an upload in parts does, and keeps nothing of a pack.
    async put(key, body) {
      const digest = createHash("sha256");
      let bytes = 0;
      const kept: Uint8Array[] = [];
      for await (const chunk of body) {
        digest.update(chunk);
        bytes += chunk.byteLength;
        if (key.endsWith(".json")) kept.push(chunk);
        else if (key.endsWith(".pack")) {
          packed.update(chunk);
          packBytes += chunk.byteLength;
          held -= chunk.byteLength;
        } else {
          archiveBytes += chunk.byteLength;
          most = Math.max(most, await memorySince(before));
        }
      }
      if (key.endsWith(".json")) objects.set(key, new Uint8Array(Buffer.concat(kept)));
      return { bytes, sha256: digest.digest("hex") };
    },
    async get(key) {
      if (key.endsWith(".pack")) {
        return toStream(
          (async function* () {
            for (let file = 0; file < FILES; file += 1) yield* contentOf(file, FILE_BYTES);
          })(),
        );
      }
      const bytes = objects.get(key);
      return bytes && new Blob([bytes]).stream();
    },
    read: async (_, { length }) => new Uint8Array(length),
    delete: async () => {
      throw new AppError("internal", "Nothing is to be deleted");
    },
    async *list() {},
  };

  let before = 0;
  const scene = newScene();
  const config = { DEPLOYMENT_MAX_FILES: FILES, DEPLOYMENT_MAX_FILE_MB: 25, DEPLOYMENT_MAX_TOTAL_MB: 500 };
  const deps = { archives, config: { ...scene.deps.config, ...config } };
  const bundle = await storeBundle(deps, runtime, { ...scene.input, outputDirectory: "dist" });
  expect(bundle).toMatchObject({ files: FILES, bytes: FILES * FILE_BYTES });
  expect(packBytes).toBe(FILES * FILE_BYTES);
  const expected = createHash("sha256");
  for (let file = 0; file < FILES; file += 1) {
    for await (const chunk of contentOf(file, FILE_BYTES)) expected.update(chunk);
  }
  expect(packed.digest("hex")).toBe(expected.digest("hex"));
  expect(most).toBeLessThanOrEqual(2 * FILE_BYTES);

  most = 0;
  await collectGarbage();
  before = process.memoryUsage().arrayBuffers;
  const { bytes } = await storeSourceArchive(archives, bundle);
  expect(bytes).toBe(archiveBytes);
  expect(bytes).toBeGreaterThan(0);
  expect(most).toBeLessThan(MOST_BYTES);
});
