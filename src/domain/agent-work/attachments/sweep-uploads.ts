import { removeFiles, type RemoveFilesDeps } from "#src/domain/agent-work/chats/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { deleteForgotten } from "./queries.ts";

/** Uploads of one sweep; the next one takes the others. */
const BATCH = 100;

/** Remove what was uploaded and not sent within a day. */
export async function sweepUploads(deps: RemoveFilesDeps & { db: Db }): Promise<void> {
  const deleted = await deleteForgotten(deps.db, BATCH);
  for (const { projectId, path, isLast } of deleted) {
    if (isLast) await removeFiles(deps, projectId, [path]);
  }
}
