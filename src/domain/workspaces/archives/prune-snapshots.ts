import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import { manifestKey, packKey, snapshotsKey } from "./manifest.ts";
import { deleteExcess, namedArchives, projectsWithExcess } from "./queries.ts";

/** Orphans younger than this may belong to a snapshot that is being taken. */
const ORPHAN_AGE_MS = 24 * 3600 * 1000;

/** Objects whose rows are looked up together. */
const PAGE = 1000;

export interface PruneDeps {
  db: Db;
  archives: Pick<ArchiveStore, "delete" | "list">;
  log: Log;
  config: { MAX_SNAPSHOTS_PER_PROJECT: number; SNAPSHOT_RETENTION_DAYS: number };
}

/**
 * Keeps, of each role, the newest MAX_SNAPSHOTS_PER_PROJECT snapshots of the last SNAPSHOT_RETENTION_DAYS days. Of
 * hibernation snapshots keeps only the newest, at any age, because a hibernated project is restored from it. Rows are
 * deleted first, then the objects that no row names. The nightly sweep deletes the objects that a crash leaves in
 * between.
 */
export async function pruneSnapshots(deps: PruneDeps, projectId: string): Promise<void> {
  const deleted = await deleteExcess(deps.db, projectId, retentionOf(deps));
  if (deleted.length === 0) return;
  const left = new Set((await namedArchives(deps.db, [projectId])).flatMap(({ packs }) => packs));
  const packs = new Set(deleted.flatMap((row) => row.packs).filter((pack) => !left.has(pack)));
  await deps.archives.delete([
    ...deleted.map(({ hash }) => manifestKey(projectId, hash)),
    ...[...packs].map((pack) => packKey(projectId, pack)),
  ]);
}

const retentionOf = ({ config }: PruneDeps) => ({
  count: config.MAX_SNAPSHOTS_PER_PROJECT,
  days: config.SNAPSHOT_RETENTION_DAYS,
});

/**
 * Runs every night: prunes all projects, and deletes objects that no row names, which were left by interrupted
 * snapshots and by deleted projects. Idempotent; a failure does not stop the rest.
 */
export async function sweepSnapshots(deps: PruneDeps): Promise<void> {
  for (const projectId of await projectsWithExcess(deps.db, retentionOf(deps))) {
    try {
      await pruneSnapshots(deps, projectId);
    } catch (error) {
      deps.log.error("snapshots could not be pruned", { project_id: projectId, cause: error });
    }
  }
  let page: StoredObject[] = [];
  for await (const { key, storedAt } of deps.archives.list("snapshots/")) {
    const object = storedAt.getTime() < Date.now() - ORPHAN_AGE_MS ? parseKey(key) : undefined;
    if (object) page.push(object);
    if (page.length < PAGE) continue;
    await deleteOrphans(deps, page);
    page = [];
  }
  await deleteOrphans(deps, page);
}

interface StoredObject {
  key: string;
  projectId: string;
  /** Hash of a manifest, or name of a pack. */
  name: string;
}

function parseKey(key: string): StoredObject | undefined {
  const [, projectId, name] =
    /^snapshots\/([0-9a-f-]{36})\/(?:packs|manifests)\/([0-9a-f-]+)\.(?:tar|json)$/u.exec(key) ?? [];
  return projectId !== undefined && name !== undefined ? { key, projectId, name } : undefined;
}

async function deleteOrphans(deps: PruneDeps, objects: readonly StoredObject[]): Promise<void> {
  if (objects.length === 0) return;
  const rows = await namedArchives(deps.db, [...new Set(objects.map(({ projectId }) => projectId))]);
  const named = new Set(
    rows.flatMap(({ projectId, hash, packs }) => [hash, ...packs].map((name) => `${projectId}/${name}`)),
  );
  await deps.archives.delete(
    objects.filter(({ projectId, name }) => !named.has(`${projectId}/${name}`)).map(({ key }) => key),
  );
}

/** Deletes all snapshot objects of a deleted project; their rows were deleted with it. Idempotent. */
export async function deleteSnapshots(
  { archives }: { archives: Pick<ArchiveStore, "delete" | "list"> },
  projectId: string,
): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of archives.list(snapshotsKey(projectId))) keys.push(key);
  await archives.delete(keys);
}
