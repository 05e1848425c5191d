import type { Caller } from "#src/domain/access/permissions/index.ts";
import { snapshotsOf, type Snapshot } from "#src/domain/workspaces/archives/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A project's snapshots, newest first; does not wake the project. Throws as `requireProject` does. */
export async function listSnapshots(
  deps: { db: Db },
  caller: Caller,
  project: string,
): Promise<{ projectId: string; snapshots: Snapshot[] }> {
  const { id } = await requireProject(deps, caller, project, "snapshot.view");
  return { projectId: id, snapshots: await snapshotsOf(deps.db, id) };
}
