import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ProjectStorage } from "#src/platform/runtime/project-storage.ts";
import { loadManifest, type Manifest, type ManifestEntry } from "./manifest.ts";
import { openSnapshot } from "./open-snapshot.ts";
import { snapshotContents } from "./snapshot-contents.ts";

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
  const wanted = await openSnapshot(deps, from.projectId, from.hash);
  const manifest = from.keep ? await withKept(deps.archives, from.projectId, wanted, from.keep) : wanted;
  await runtime.replaceEntries(snapshotContents(deps.archives, from.projectId, manifest), from.generation);
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
