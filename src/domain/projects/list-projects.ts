import type { Caller } from "#src/domain/access/index.ts";
import { requireTeam } from "#src/domain/teams/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { visibleProjects, type Project } from "./queries.ts";
import { somebodyOf } from "./require-project.ts";

/**
 * Projects the caller may see, newest first: a person's of all teams or of the one named, a key's of its team or those it
 * is bound to; at most `limit`, those that follow the project `after`. Throws `not_found` for a team the caller has no part in.
 */
export async function listProjects(
  deps: { db: Db },
  caller: Caller,
  filter: { team?: string | undefined; limit?: number | undefined; after?: string | undefined },
): Promise<Project[]> {
  const named =
    filter.team === undefined ? undefined : await requireTeam(deps, caller, "project.list", filter.team);
  const key = caller.kind === "key" ? caller : undefined;
  return visibleProjects(deps.db, somebodyOf(caller), {
    teamId: named?.teamId ?? key?.teamId,
    projectIds: key?.projectIds ?? undefined,
    limit: filter.limit,
    after: filter.after,
  });
}
