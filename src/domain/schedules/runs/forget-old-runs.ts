import type { Db } from "#src/platform/db/client.ts";
import { deleteOldRuns } from "./queries/history.ts";

const KEPT_DAYS = 90;

/** Deletes the history of runs that ended long ago. */
export async function forgetOldRuns({ db }: { db: Db }): Promise<void> {
  await deleteOldRuns(db, KEPT_DAYS);
}
