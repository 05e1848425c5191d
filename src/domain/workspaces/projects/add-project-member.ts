import { endTasksOf, type Role } from "#src/domain/access/permissions/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { entryOf, requireAdministrated, requireMember, type MemberChange } from "./member-change.ts";
import { insertProjectMember, type ProjectMember } from "./queries/members.ts";

/**
 * Gives a member of the project's team, named by id or address, a role in the project. Throws as `requireProject` does
 * for a caller who is not an administrator of the project, `not_found` for a person who is not in the team, and
 * `conflict` for a person who already has a role.
 */
export async function addProjectMember(
  deps: { db: Db; queue: Pick<Queue, "publishBatch"> },
  asked: MemberChange,
  person: { userId?: string | undefined; email?: string | undefined },
  role: Role,
): Promise<ProjectMember> {
  const project = await requireAdministrated(deps, asked);
  const { userId = null, email = null } = person;
  const found = await insertProjectMember(deps.db, project, { userId, email }, role);
  if (!found) throw new AppError("not_found", "This person is not a member of the project's team");
  if (!found.added) throw new AppError("conflict", "This person already has a role in the project");
  await insertAuditEntry(deps.db, entryOf(asked, project, found.userId, "member_added", { role }));
  // The new role replaces the one in the team, which may be higher.
  await endTasksOf(deps.queue, [{ userId: found.userId }]);
  return requireMember(deps, project, found.userId);
}
