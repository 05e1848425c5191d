import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { repositoryOf } from "./queries.ts";

/** Throws `conflict` while a clone is under way: it replaces the project's files, and would take a change with them. */
export async function requireNoClone(db: Db, projectId: string): Promise<void> {
  const repository = await repositoryOf(db, projectId);
  if (repository?.syncStatus !== "cloning") return;
  throw new AppError("conflict", "A repository is being cloned into the project: wait until the clone ends");
}
