import type { Caller } from "#src/domain/access/permissions/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { countRuns, runsOfProject, type CommandRun } from "./queries.ts";

/** Commands that were run in a project, newest first. Throws as `requireProject` does. */
export async function listRuns(
  deps: { db: Db },
  caller: Caller,
  idOrSlug: string,
  limit: number,
): Promise<CommandRun[]> {
  const { id } = await requireProject(deps, caller, idOrSlug, "terminal.access");
  return runsOfProject(deps.db, id, limit);
}

/** How many commands the caller ran in the last `days`, by risk. */
export function statsOfRuns(deps: { db: Db }, caller: Caller, days: number) {
  return countRuns(deps.db, caller.userId, days);
}
