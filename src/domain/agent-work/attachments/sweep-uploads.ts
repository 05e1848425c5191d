import { removeFiles, type RemoveFilesDeps } from "#src/domain/agent-work/chats/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { deleteForgotten } from "./queries.ts";

/** Most uploads in one sweep; the next sweep takes the rest. */
const BATCH = 100;

/** Removes uploads that were not sent within a day. */
export async function sweepUploads(deps: RemoveFilesDeps & { db: Db }): Promise<void> {
  const deleted = await deleteForgotten(deps.db, BATCH);
  for (const { projectId, path, isLast } of deleted) {
    if (isLast) await removeFiles(deps, projectId, [path]);
  }
}
