import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { repositoryOf } from "./queries.ts";

/** Whether a clone is under way. It replaces the project's files, and would undo a change made meanwhile. */
export async function isCloneUnderWay(db: Db, projectId: string): Promise<boolean> {
  return (await repositoryOf(db, projectId))?.syncStatus === "cloning";
}

/** Throws `conflict` while a clone is under way. */
export async function requireNoClone(db: Db, projectId: string): Promise<void> {
  if (!(await isCloneUnderWay(db, projectId))) return;
  throw new AppError("conflict", "A repository is being cloned into the project: wait until the clone ends");
}
