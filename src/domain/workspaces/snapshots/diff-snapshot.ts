import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Caller } from "#src/domain/access/permissions/index.ts";
import {
  snapshotContents,
  type Manifest,
  type ManifestEntry,
} from "#src/domain/workspaces/archives/index.ts";
import { withRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import type { EntryWithContent, InventoryEntry } from "#src/platform/runtime/project-storage.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { openOwnSnapshot, type SnapshotDeps } from "./open-snapshot-file.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";

/** Most changes that are listed. */
const MAX_LISTED = 1_000;
/**
 * Most bytes of the packs that are read to compare contents. A file of the same size whose fingerprint differs, as that
 * of every file does after a restore in some runtimes, may have the same content.
 */
const MAX_COMPARED_BYTES = 64 * 1024 * 1024;

export interface SnapshotChange {
  path: string;
  change: "added" | "changed" | "deleted";
  /** Bytes now; null if it is deleted. */
  size: number | null;
  /** Bytes in the snapshot; null if it is added. */
  sizeBefore: number | null;
  /** False where there was too much to compare: the content may be the same. */
  isCertain: boolean;
}

/**
 * What has changed in a project's files since a snapshot, by path: files and links, but not those in `.git` and
 * `node_modules`. Wakes a sleeping project. Throws `not_found` for a snapshot of another project, `unavailable` for a
 * damaged one, and as `withRuntime` does.
 */
export async function diffSnapshot(
  deps: RuntimeDeps & SnapshotDeps,
  caller: Caller,
  input: { project: string; hash: string },
): Promise<{ changes: SnapshotChange[]; total: number }> {
  const access = { caller, project: input.project, scope: "file.read" } as const;
  const { id, manifest } = await openOwnSnapshot(deps, caller, input);
  return withRuntime(deps, access, async (runtime) => {
    const { changes, suspects } = compare(manifest.entries, await runtime.inventory());
    const [chosen, left] = withinLimit(suspects, manifest);
    const differing = await changedContents(deps, runtime, { projectId: id, manifest, files: chosen });
    const all = [
      ...changes,
      ...differing.map((entry) => ({ ...changeOf(entry), isCertain: true })),
      ...left.map((entry) => ({ ...changeOf(entry), isCertain: false })),
    ].toSorted((one, other) => (one.path < other.path ? -1 : 1));
    return { changes: all.slice(0, MAX_LISTED), total: all.length };
  });
}

/** What certainly differs, and files that may differ only in their fingerprint. */
function compare(
  snapshot: readonly ManifestEntry[],
  inventory: readonly InventoryEntry[],
): { changes: SnapshotChange[]; suspects: ManifestEntry[] } {
  const before = new Map(snapshot.filter(isShown).map((entry) => [entry.path, entry]));
  const changes: SnapshotChange[] = [];
  const suspects: ManifestEntry[] = [];
  for (const now of inventory.filter(isShown)) {
    const { path, kind, size } = now;
    const was = before.get(path);
    before.delete(path);
    if (!was) changes.push({ path, change: "added", size, sizeBefore: null, isCertain: true });
    else if (was.kind !== kind || was.target !== now.target || was.size !== size) {
      changes.push({ path, change: "changed", size, sizeBefore: was.size, isCertain: true });
    } else if (size > 0 && (was.fingerprint === "" || was.fingerprint !== now.fingerprint))
      suspects.push(was);
  }
  for (const { path, size } of before.values()) {
    changes.push({ path, change: "deleted", size: null, sizeBefore: size, isCertain: true });
  }
  return { changes, suspects };
}

/** Not the runtime's own files, and none that git or a package manager makes. */
function isShown({ path, kind }: Pick<InventoryEntry, "path" | "kind">): boolean {
  if (kind === "directory" || path.startsWith(".workspace-")) return false;
  return path.split("/").every((name) => name !== ".git" && name !== "node_modules");
}

const changeOf = ({ path, size }: ManifestEntry) =>
  ({ path, change: "changed", size, sizeBefore: size }) as const;

/** The files whose packs are small enough to be read, and the others. */
function withinLimit(
  files: readonly ManifestEntry[],
  { packs }: Manifest,
): [chosen: ManifestEntry[], left: ManifestEntry[]] {
  const bytesOf = new Map(packs.map(({ name, bytes }) => [name, bytes]));
  const read = new Set<string>();
  let bytes = 0;
  const chosen: ManifestEntry[] = [];
  const left: ManifestEntry[] = [];
  for (const file of files) {
    const pack = file.pack ?? "";
    if (!read.has(pack) && bytes + (bytesOf.get(pack) ?? 0) <= MAX_COMPARED_BYTES) {
      read.add(pack);
      bytes += bytesOf.get(pack) ?? 0;
    }
    (read.has(pack) ? chosen : left).push(file);
  }
  return [chosen, left];
}

/** Those of the files whose content differs. Reads both sides once, in chunks. */
async function changedContents(
  { archives }: SnapshotDeps,
  runtime: Pick<ProjectRuntime, "readEntries">,
  { projectId, manifest, files }: { projectId: string; manifest: Manifest; files: ManifestEntry[] },
): Promise<ManifestEntry[]> {
  if (files.length === 0) return [];
  const needed = new Set(files.map(({ pack }) => pack));
  const packs = manifest.packs.filter(({ name }) => needed.has(name));
  const before = await hashesOf(snapshotContents(archives, projectId, { entries: files, packs }));
  const now = await hashesOf(await runtime.readEntries(files.map(({ path }) => path)));
  return files.filter(({ path }) => before.get(path) !== now.get(path));
}

async function hashesOf(entries: AsyncIterable<EntryWithContent>): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for await (const { entry, content } of entries) {
    const hash = sha256.create();
    for await (const chunk of content) hash.update(chunk);
    hashes.set(entry.path, bytesToHex(hash.digest()));
  }
  return hashes;
}
