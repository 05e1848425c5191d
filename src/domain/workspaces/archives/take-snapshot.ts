import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { EntryWithContent, ProjectStorage, StoredEntry } from "#src/platform/runtime/project-storage.ts";
import { boundedEntries, requireStorable } from "./bounded-entries.ts";
import { loadManifest, packKey, storeManifest, type Manifest, type ManifestPack } from "./manifest.ts";
import { planPacks, type PackPlan } from "./plan-packs.ts";
import { pruneSnapshots, type PruneDeps } from "./prune-snapshots.ts";
import { insertSnapshot, snapshotsOf, type SnapshotRole } from "./queries.ts";
import { packEntries } from "./tar.ts";

export interface TakeDeps extends PruneDeps {
  archives: ArchiveStore;
}

export interface SnapshotWish {
  projectId: string;
  role: SnapshotRole;
  label: string;
  /** Of the run it is made for. */
  chatId?: string | null;
  taskId?: string | null;
  createdBy?: string | null;
  /** The executor that takes it: nothing is recorded once there is a newer one. */
  generation?: number;
  /** Gives it up: nothing is recorded once it has aborted. Its reason is thrown. */
  signal?: AbortSignal;
}

export interface TakenSnapshot {
  hash: string;
  files: number;
  bytes: number;
}

/**
 * Take a snapshot of a project's files as they are, whatever state the project is in; under a freeze it is one moment's.
 * What has not changed since the snapshot before is not stored again. Pack, manifest and row are written in this order: what
 * is cut off leaves nothing but bytes that nobody names. Throws `asleep` where there are no files, `unavailable` where
 * files or archive do not answer, `too_large` for more than is stored of one project, `not_found` for a project that is gone.
 */
export async function takeSnapshot(
  deps: TakeDeps,
  runtime: Pick<ProjectStorage, "inventory" | "readEntries">,
  wish: SnapshotWish,
): Promise<TakenSnapshot> {
  const [newest] = await snapshotsOf(deps.db, wish.projectId).limit(1);
  const manifest = newest && (await readParent(deps, wish.projectId, newest.hash));
  const hash = newest?.hash ?? null;
  const taken =
    (await takeOnto(deps, runtime, wish, { hash, manifest })) ??
    // Packs of the parent went while this one was taken: all is packed anew, so that nothing of it is needed.
    (await takeOnto(deps, runtime, wish, { hash, manifest: undefined }));
  if (!taken) throw new AppError("not_found", "Project not found");
  // One that is taken before a restore must not push out the one that is restored next.
  if (wish.role !== "restore") await prune(deps, wish.projectId);
  return taken;
}

/** The snapshot stands either way: what is too much goes with the next one, or at night. */
async function prune(deps: TakeDeps, projectId: string): Promise<void> {
  try {
    await pruneSnapshots(deps, projectId);
  } catch (error) {
    deps.log.warn("snapshots could not be pruned", { project_id: projectId, cause: error });
  }
}

/** One that cannot be read any more is nothing to build on, and no reason to have no further one. */
async function readParent(deps: TakeDeps, projectId: string, hash: string): Promise<Manifest | undefined> {
  try {
    return await loadManifest(deps.archives, projectId, hash);
  } catch (error) {
    deps.log.error("a snapshot cannot be read", { project_id: projectId, hash, cause: error });
    return undefined;
  }
}

/** `undefined` where a pack that it takes over has gone since, or the project has. */
async function takeOnto(
  deps: TakeDeps,
  runtime: Pick<ProjectStorage, "inventory" | "readEntries">,
  wish: SnapshotWish,
  parent: { hash: string | null; manifest: Manifest | undefined },
): Promise<TakenSnapshot | undefined> {
  const plan = planPacks(await runtime.inventory(), parent.manifest);
  requireStorable(plan.entries);
  const { entries, packs } = await pack(deps, runtime, wish, plan);
  wish.signal?.throwIfAborted();
  const { projectId } = wish;
  const hash = await storeManifest(deps.archives, projectId, {
    version: 1,
    createdAt: new Date().toISOString(),
    parent: parent.hash,
    entries,
    packs,
  });
  wish.signal?.throwIfAborted();
  const files = entries.filter(({ kind }) => kind === "file");
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const row = {
    id: newId(),
    projectId,
    hash,
    parentHash: parent.hash,
    role: wish.role,
    label: wish.label,
    fileCount: files.length,
    totalBytes: bytes,
    packs: packs.map(({ name }) => name),
    chatId: wish.chatId ?? null,
    taskId: wish.taskId ?? null,
    createdBy: wish.createdBy ?? null,
  };
  const takenOver = plan.packs.map(({ name }) => name);
  const stands = await insertSnapshot(deps.db, row, { takenOver, generation: wish.generation });
  return stands ? { hash, files: files.length, bytes } : undefined;
}

/** Store what the plan says is new. Answers with the entries as they were read. */
async function pack(
  { archives }: Pick<TakeDeps, "archives">,
  runtime: Pick<ProjectStorage, "inventory" | "readEntries">,
  { projectId, signal }: SnapshotWish,
  plan: PackPlan,
): Promise<Pick<Manifest, "entries" | "packs">> {
  if (plan.toPack.length === 0) return plan;
  const name = crypto.randomUUID();
  const read = new Map<string, StoredEntry>();
  const contents = filesOf(boundedEntries(await runtime.readEntries(plan.toPack)), read, signal);
  const stored = await archives.put(packKey(projectId, name), packEntries(contents));
  const after = new Map((await runtime.inventory()).map((entry) => [entry.path, entry.fingerprint]));
  const entries = plan.entries.flatMap((entry) => {
    if (entry.kind !== "file" || entry.size === 0 || entry.pack !== null) return [entry];
    const found = read.get(entry.path);
    // Gone by the time it was to be read.
    if (!found) return [];
    const { path, kind, size, mode, modifiedAt, target } = found;
    const isSettled = size === entry.size && after.get(path) === entry.fingerprint;
    const fingerprint = isSettled ? entry.fingerprint : "";
    return [
      { path, kind, size, mode, modifiedAt, target, fingerprint, pack: hasContent(found) ? name : null },
    ];
  });
  const contentBytes = [...read.values()].reduce((sum, { size }) => sum + size, 0);
  const packed: ManifestPack = { name, sha256: stored.sha256, bytes: stored.bytes, contentBytes };
  return { entries, packs: [...plan.packs, packed] };
}

const hasContent = ({ kind, size }: StoredEntry) => kind === "file" && size > 0;

/** What of the entries belongs in a pack; each one is noted as it was read. */
async function* filesOf(
  entries: AsyncIterable<EntryWithContent>,
  read: Map<string, StoredEntry>,
  signal: AbortSignal | undefined,
): AsyncGenerator<EntryWithContent> {
  for await (const each of entries) {
    signal?.throwIfAborted();
    read.set(each.entry.path, each.entry);
    if (hasContent(each.entry)) yield each;
  }
}
