import type { Caller } from "#src/domain/access/permissions/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { visibleProjects, type Project } from "./queries/projects.ts";
import { viewerOf } from "./require-project.ts";

/**
 * Projects that the caller can see, newest first: of all teams or of the named one; for a bound key only its projects.
 * Returns at most `limit`, those that follow the project `after`. Throws `not_found` for a team of which the caller is not
 * a member.
 */
export async function listProjects(
  deps: { db: Db },
  caller: Caller,
  filter: { team?: string | undefined; limit?: number | undefined; after?: string | undefined },
): Promise<Project[]> {
  const named =
    filter.team === undefined ? undefined : await requireTeam(deps, caller, "project.list", filter.team);
  const key = caller.kind === "key" ? caller : undefined;
  return visibleProjects(deps.db, viewerOf(caller), {
    teamId: named?.teamId,
    projectIds: key?.projectIds ?? undefined,
    limit: filter.limit,
    after: filter.after,
  });
}
