import { AppError } from "#src/lib/errors.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { EntryWithContent } from "#src/platform/runtime/project-storage.ts";
import { packKey, type Manifest, type ManifestEntry, type ManifestPack } from "./manifest.ts";
import { unpackEntries } from "./tar.ts";

/**
 * The entries of a snapshot with their contents: directories, then files pack by pack, then links, so that no entry
 * comes before its parent. Of the packs in the manifest every byte is checked on the way to the end. Throws
 * `unavailable` for a damaged one.
 */
export async function* snapshotContents(
  archives: Pick<ArchiveStore, "get">,
  projectId: string,
  { entries, packs }: Pick<Manifest, "entries" | "packs">,
): AsyncGenerator<EntryWithContent, void, undefined> {
  const packed = new Map(packs.map(({ name }) => [name, new Map<string, ManifestEntry>()]));
  const links: ManifestEntry[] = [];
  const empty: ManifestEntry[] = [];
  for (const entry of entries) {
    if (entry.kind === "directory") yield withoutContent(entry);
    else if (entry.kind === "symlink") links.push(entry);
    else if (entry.size === 0) empty.push(entry);
    else filesOfPack(packed, entry).set(entry.path, entry);
  }
  for (const entry of empty) yield withoutContent(entry);
  for (const pack of packs) yield* contentsOfPack(archives, projectId, pack, packed.get(pack.name));
  for (const entry of links) yield withoutContent(entry);
}

function filesOfPack(
  packed: Map<string, Map<string, ManifestEntry>>,
  { path, pack }: ManifestEntry,
): Map<string, ManifestEntry> {
  const files = pack === null ? undefined : packed.get(pack);
  if (!files) throw damaged(`it does not say where ${path} is stored`);
  return files;
}

async function* contentsOfPack(
  archives: Pick<ArchiveStore, "get">,
  projectId: string,
  pack: ManifestPack,
  wanted: Map<string, ManifestEntry> = new Map(),
): AsyncGenerator<EntryWithContent> {
  const archive = await archives.get(packKey(projectId, pack.name), pack.sha256);
  if (!archive) throw damaged("a pack is missing");
  for await (const { header, content } of unpackEntries(archive)) {
    const entry = wanted.get(header.name);
    if (!entry) continue;
    if (entry.size !== header.size) throw damaged(`the size of ${entry.path} is wrong`);
    wanted.delete(header.name);
    yield { entry: entryOf(entry), content };
  }
  // The pack's checksum was right, or its last read would have failed.
  if (wanted.size > 0) throw damaged("a pack lacks files");
}

const withoutContent = (entry: ManifestEntry): EntryWithContent => ({
  entry: entryOf(entry),
  content: new ReadableStream({ start: (controller) => controller.close() }),
});

const entryOf = ({ path, kind, size, mode, modifiedAt, target }: ManifestEntry) => ({
  path,
  kind,
  size,
  mode,
  modifiedAt,
  target,
});

function damaged(what: string): AppError {
  return new AppError("unavailable", `The snapshot is damaged: ${what}`);
}
