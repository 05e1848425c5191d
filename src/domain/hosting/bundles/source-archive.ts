import { z } from "zod";
import type { StoredBundle } from "#src/db/schema/deployments.ts";
import { packEntries } from "#src/domain/workspaces/archives/index.ts";
import { newId } from "#src/lib/ids.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import { readerOf } from "#src/platform/runtime/entry-stream.ts";
import type { EntryWithContent } from "#src/platform/runtime/project-storage.ts";
import { damaged, loadManifest, packKey, type BundledFile } from "./manifest.ts";

/** Time of all files, so that the same files are the same bytes: 1 January 2000. */
const MODIFIED_AT = Date.UTC(2000, 0, 1);

/** Says which object the archive is; written once that is whole. */
const recordKey = (prefix: string) => `${prefix}source.json`;

const ArchiveRecord = z.object({ key: z.string(), bytes: z.int().positive(), sha256: z.string() });
type ArchiveRecord = z.infer<typeof ArchiveRecord>;

/**
 * Stores the files of a bundle as a gzipped tar archive beside it, from which its length is known. Idempotent. Throws
 * `unavailable` for a damaged bundle.
 */
export async function storeSourceArchive(
  archives: ArchiveStore,
  { prefix }: StoredBundle,
): Promise<{ bytes: number }> {
  const stored = await findRecord(archives, prefix);
  if (stored) return stored;
  const { files, pack } = await loadManifest(archives, prefix);
  const contents = await archives.get(packKey(prefix), pack.sha256);
  if (!contents) throw damaged();
  const key = `${prefix}source-${newId()}.tar.gz`;
  const archive = packEntries(entriesOf(contents, files)).pipeThrough(new CompressionStream("gzip"));
  const record: ArchiveRecord = { key, ...(await archives.put(key, archive)) };
  await archives.put(recordKey(prefix), new Blob([JSON.stringify(record)]).stream());
  return record;
}

/** Throws `unavailable` if it was not stored. */
export async function openSourceArchive(
  archives: ArchiveStore,
  { prefix }: StoredBundle,
): Promise<{ bytes: number; body: ReadableStream<Uint8Array> }> {
  const record = await findRecord(archives, prefix);
  const body = record && (await archives.get(record.key, record.sha256));
  if (!body) throw damaged();
  return { bytes: record.bytes, body };
}

async function findRecord(archives: ArchiveStore, prefix: string): Promise<ArchiveRecord | undefined> {
  const stored = await archives.get(recordKey(prefix));
  if (!stored) return undefined;
  const record = safeParseJson(await new Response(stored).text(), ArchiveRecord)?.value;
  if (!record?.key.startsWith(prefix)) throw damaged();
  return record;
}

/** Cuts a pack into its files. Reads it to its end, where its checksum is compared. */
async function* entriesOf(
  pack: ReadableStream<Uint8Array>,
  files: readonly BundledFile[],
): AsyncGenerator<EntryWithContent> {
  const reader = readerOf(pack);
  let held: Uint8Array = new Uint8Array();
  const take = async function* (size: number) {
    for (let left = size; left > 0;) {
      if (held.byteLength === 0) held = (await reader.read()) ?? held;
      if (held.byteLength === 0) throw damaged();
      const chunk = held.subarray(0, left);
      held = held.subarray(chunk.byteLength);
      left -= chunk.byteLength;
      yield chunk;
    }
  };
  try {
    for (const { path, size, isExecutable } of files) {
      const mode = isExecutable ? 0o755 : 0o644;
      const entry = { path, kind: "file", size, mode, modifiedAt: MODIFIED_AT, target: "" } as const;
      yield { entry, content: take(size) };
    }
    if (await reader.read()) throw damaged();
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
