import { AppError } from "#src/lib/errors.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { Db } from "#src/platform/db/client.ts";
import { loadManifest, type Manifest } from "./manifest.ts";
import { findSnapshot } from "./queries.ts";

/** What is in a snapshot of a project. Throws `not_found` for an unknown one, `unavailable` for a damaged one. */
export async function openSnapshot(
  deps: { db: Db; archives: Pick<ArchiveStore, "get"> },
  projectId: string,
  hash: string,
): Promise<Manifest> {
  const [row] = await findSnapshot(deps.db, projectId, hash);
  if (!row) throw new AppError("not_found", "Snapshot not found");
  return loadManifest(deps.archives, projectId, hash);
}
