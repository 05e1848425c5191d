import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { membersOfProject, type ProjectMember } from "./queries/members.ts";
import { requireProject } from "./require-project.ts";

/** People with a role of their own in the project, in the order they got it: all, or a page. Throws as `requireProject` does. */
export async function listProjectMembers(
  deps: { db: Db },
  caller: UserCaller,
  idOrSlug: string,
  page: { limit?: number | undefined; after?: { joinedAt: Date; userId: string } | undefined },
): Promise<ProjectMember[]> {
  const { id } = await requireProject(deps, caller, idOrSlug, "project.view");
  return membersOfProject(deps.db, id, page);
}
