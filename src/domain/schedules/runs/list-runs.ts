import { requireSchedule } from "#src/domain/schedules/definitions/index.ts";
import type { Caller } from "#src/domain/access/permissions/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { runsOf, type ShownRun } from "./queries/history.ts";

/** A page of a schedule's runs, newest first. Throws as `requireSchedule` does. */
export async function listRuns(
  deps: { db: Db },
  caller: Caller,
  scheduleId: string,
  page: { limit: number; offset: number },
): Promise<ShownRun[]> {
  const { schedule } = await requireSchedule(deps, caller, scheduleId);
  return runsOf(deps.db, schedule.id, page);
}
