import type { Caller } from "#src/domain/access/permissions/index.ts";
import {
  openSnapshot,
  snapshotContents,
  type Manifest,
  type ManifestEntry,
} from "#src/domain/workspaces/archives/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { toStream } from "#src/lib/to-stream.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { Db } from "#src/platform/db/client.ts";

export interface SnapshotDeps {
  db: Db;
  archives: Pick<ArchiveStore, "get">;
}

/**
 * A file as it was in a snapshot of a project; does not wake the project. Throws `not_found` for an unknown snapshot or
 * file, `unavailable` for a damaged one, and as `requireProject` does.
 */
export async function openSnapshotFile(
  deps: SnapshotDeps,
  caller: Caller,
  input: { project: string; hash: string; path: string },
): Promise<{ size: number; body: ReadableStream<Uint8Array> }> {
  const { id, manifest } = await openOwnSnapshot(deps, caller, input);
  const file = fileIn(manifest, input.path);
  if (!file) throw new AppError("not_found", "There is no such file in the snapshot");
  return { size: file.size, body: toStream(bytesOf(deps.archives, id, manifest, file)) };
}

/**
 * What is in a snapshot of a project, for a caller who may read the project's files. Throws `not_found` for a snapshot of
 * another project, `unavailable` for a damaged one, and as `requireProject` does.
 */
export async function openOwnSnapshot(
  deps: SnapshotDeps,
  caller: Caller,
  input: { project: string; hash: string },
): Promise<{ id: string; manifest: Manifest }> {
  const { id } = await requireProject(deps, caller, input.project, "file.read");
  return { id, manifest: await openSnapshot(deps, id, input.hash) };
}

export function fileIn({ entries }: Manifest, path: string): ManifestEntry | undefined {
  return entries.find((entry) => entry.path === path && entry.kind === "file");
}

/** The bytes of a file of a snapshot. The pack is read up to the file, and never held in memory. */
export async function* bytesOf(
  archives: SnapshotDeps["archives"],
  projectId: string,
  { packs }: Manifest,
  file: ManifestEntry,
): AsyncGenerator<Uint8Array, void, undefined> {
  const only = { entries: [file], packs: packs.filter(({ name }) => name === file.pack) };
  for await (const { content } of snapshotContents(archives, projectId, only)) {
    yield* content;
    return;
  }
}
