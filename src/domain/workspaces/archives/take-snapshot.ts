import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { EntryWithContent, ProjectStorage, StoredEntry } from "#src/platform/runtime/project-storage.ts";
import { boundedEntries, requireStorable } from "./bounded-entries.ts";
import {
  loadManifest,
  packKey,
  storeManifest,
  type Manifest,
  type ManifestEntry,
  type ManifestPack,
} from "./manifest.ts";
import { planPacks, type PackPlan } from "./plan-packs.ts";
import { pruneSnapshots, type PruneDeps } from "./prune-snapshots.ts";
import { insertSnapshot, snapshotsOf, type SnapshotRole } from "./queries.ts";
import { packEntries } from "./tar.ts";

export interface TakeDeps extends PruneDeps {
  archives: ArchiveStore;
}

export interface SnapshotInput {
  projectId: string;
  role: SnapshotRole;
  label: string;
  /** Chat of the run for which the snapshot is taken. */
  chatId?: string | null;
  taskId?: string | null;
  createdBy?: string | null;
  /** The executor that takes the snapshot: a superseded executor records nothing. */
  generation?: number;
  /** Records nothing if the files are as in the newest snapshot, which is returned; none is needed of no files. */
  unlessUnchanged?: true;
  /** Cancels the snapshot: nothing is recorded after the abort, and the signal's reason is thrown. */
  signal?: AbortSignal;
}

export interface TakenSnapshot {
  /** Empty if nothing was recorded because there are no files. */
  hash: string;
  files: number;
  bytes: number;
}

/**
 * Takes a snapshot of a project's current files, in any state of the project. Only a freeze guarantees that all files
 * are of one moment. Content that is unchanged since the previous snapshot is not stored again. Pack, manifest and row
 * are written in this order, so an interrupted snapshot leaves only objects that no row names. Throws `asleep` if the
 * files are absent, `unavailable` if the runtime or the archive store does not respond, `too_large` if the project
 * exceeds the limit, `not_found` if the project is deleted.
 */
export async function takeSnapshot(
  deps: TakeDeps,
  runtime: Pick<ProjectStorage, "inventory" | "readEntries">,
  input: SnapshotInput,
): Promise<TakenSnapshot> {
  const [newest] = await snapshotsOf(deps.db, input.projectId).limit(1);
  const manifest = newest && (await readParent(deps, input.projectId, newest.hash));
  const hash = newest?.hash ?? null;
  const taken =
    (await takeOnto(deps, runtime, input, { hash, manifest })) ??
    // Packs of the parent were deleted in the meantime: the second attempt packs everything and needs no parent.
    (await takeOnto(deps, runtime, input, { hash, manifest: undefined }));
  if (!taken) throw new AppError("not_found", "Project not found");
  // The snapshot taken before a restore must not displace the snapshot that is about to be restored.
  if (input.role !== "restore") await prune(deps, input.projectId);
  return taken;
}

/** A failure is only logged: the snapshot is recorded, and the next snapshot or the nightly sweep prunes. */
async function prune(deps: TakeDeps, projectId: string): Promise<void> {
  try {
    await pruneSnapshots(deps, projectId);
  } catch (error) {
    deps.log.warn("snapshots could not be pruned", { project_id: projectId, cause: error });
  }
}

/**
 * Loads the parent's manifest; `undefined` if it is unreadable, since a damaged parent must not prevent new snapshots.
 */
async function readParent(deps: TakeDeps, projectId: string, hash: string): Promise<Manifest | undefined> {
  try {
    return await loadManifest(deps.archives, projectId, hash);
  } catch (error) {
    deps.log.error("a snapshot cannot be read", { project_id: projectId, hash, cause: error });
    return undefined;
  }
}

/** Returns `undefined` if a reused pack or the project was deleted in the meantime. */
async function takeOnto(
  deps: TakeDeps,
  runtime: Pick<ProjectStorage, "inventory" | "readEntries">,
  input: SnapshotInput,
  parent: { hash: string | null; manifest: Manifest | undefined },
): Promise<TakenSnapshot | undefined> {
  const plan = planPacks(await runtime.inventory(), parent.manifest);
  requireStorable(plan.entries);
  if (input.unlessUnchanged && isUnchanged(plan, parent.manifest)) {
    return takenOf(parent.hash ?? "", plan.entries);
  }
  const { entries, packs } = await pack(deps, runtime, input, plan);
  input.signal?.throwIfAborted();
  const { projectId } = input;
  const hash = await storeManifest(deps.archives, projectId, {
    version: 1,
    createdAt: new Date().toISOString(),
    parent: parent.hash,
    entries,
    packs,
  });
  input.signal?.throwIfAborted();
  const taken = takenOf(hash, entries);
  const row = {
    id: newId(),
    projectId,
    hash,
    parentHash: parent.hash,
    role: input.role,
    label: input.label,
    fileCount: taken.files,
    totalBytes: taken.bytes,
    packs: packs.map(({ name }) => name),
    chatId: input.chatId ?? null,
    taskId: input.taskId ?? null,
    createdBy: input.createdBy ?? null,
  };
  const takenOver = plan.packs.map(({ name }) => name);
  const stands = await insertSnapshot(deps.db, row, { takenOver, generation: input.generation });
  return stands ? taken : undefined;
}

/** Counts the files that a project shows. Those of git are stored with them, and are not counted. */
function takenOf(hash: string, entries: readonly ManifestEntry[]): TakenSnapshot {
  const files = entries.filter(({ kind, path }) => kind === "file" && !path.startsWith(".git/"));
  return { hash, files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
}

/** Whether the planned snapshot would be the same as its parent. */
function isUnchanged({ entries }: PackPlan, parent: Manifest | undefined): boolean {
  if (!parent) return entries.length === 0;
  const before = new Map(parent.entries.map((entry) => [entry.path, entry]));
  const isSame = (entry: ManifestEntry) => {
    const old = before.get(entry.path);
    return old !== undefined && STATED.every((part) => old[part] === entry[part]);
  };
  return entries.length === parent.entries.length && entries.every(isSame);
}

/** What a manifest says of an entry, but for its pack, which follows from the rest. */
const STATED = ["kind", "size", "mode", "modifiedAt", "target", "fingerprint"] as const;

/** Stores the new content of the plan. Returns the entries as they were read. */
async function pack(
  { archives }: Pick<TakeDeps, "archives">,
  runtime: Pick<ProjectStorage, "inventory" | "readEntries">,
  { projectId, signal }: SnapshotInput,
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
    // The file was deleted before it was read.
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

/** The entries that belong in a pack; records every entry as it was read. */
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
