import { AppError } from "#src/lib/errors.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { EntryWithContent, ProjectStorage } from "#src/platform/runtime/project-storage.ts";
import { loadManifest, packKey, type Manifest, type ManifestEntry, type ManifestPack } from "./manifest.ts";
import { findSnapshot } from "./queries.ts";
import { unpackEntries } from "./tar.ts";

/** A folder whose content is taken from another snapshot of the same project. */
interface Kept {
  folder: string;
  hash: string;
}

/**
 * Replaces a project's files by those of a snapshot, of the same or another project. The folder `keep` is taken from
 * another snapshot. All bytes are checked on the way, and a runtime changes nothing before the last one has arrived, so
 * a failure leaves the files as they were. Throws `not_found` for an unknown snapshot, `unavailable` for a damaged one.
 */
export async function restoreSnapshot(
  deps: { db: Db; archives: Pick<ArchiveStore, "get"> },
  runtime: Pick<ProjectStorage, "replaceEntries">,
  /** `projectId` is the project of the snapshot. */
  from: { projectId: string; hash: string; generation?: number; keep?: Kept },
): Promise<void> {
  const [row] = await findSnapshot(deps.db, from.projectId, from.hash);
  if (!row) throw new AppError("not_found", "Snapshot not found");
  const wanted = await loadManifest(deps.archives, from.projectId, from.hash);
  const manifest = from.keep ? await withKept(deps.archives, from.projectId, wanted, from.keep) : wanted;
  await runtime.replaceEntries(contentsOf(deps.archives, from.projectId, manifest), from.generation);
}

async function withKept(
  archives: Pick<ArchiveStore, "get">,
  projectId: string,
  wanted: Manifest,
  { folder, hash }: Kept,
): Promise<Manifest> {
  const kept = await loadManifest(archives, projectId, hash);
  const isUnder = ({ path }: ManifestEntry) => path === folder || path.startsWith(`${folder}/`);
  const entries = [...wanted.entries.filter((entry) => !isUnder(entry)), ...kept.entries.filter(isUnder)];
  const named = new Set(entries.map(({ pack }) => pack));
  const packs = new Map([...wanted.packs, ...kept.packs].map((pack) => [pack.name, pack]));
  return { ...wanted, entries, packs: [...packs.values()].filter(({ name }) => named.has(name)) };
}

/** Directories, then files pack by pack, then links: no entry comes before its parent. */
async function* contentsOf(
  archives: Pick<ArchiveStore, "get">,
  projectId: string,
  { entries, packs }: Manifest,
): AsyncGenerator<EntryWithContent> {
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
