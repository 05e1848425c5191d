import type { Db } from "#src/platform/db/client.ts";
import { snapshotsOf, type Snapshot, type SnapshotRole } from "./queries.ts";

/** The newest snapshot of a project, or its newest with the given role; `undefined` if there is none. */
export async function latestSnapshot(
  deps: { db: Db },
  projectId: string,
  role?: SnapshotRole,
): Promise<Snapshot | undefined> {
  const [snapshot] = await snapshotsOf(deps.db, projectId, role).limit(1);
  return snapshot;
}
