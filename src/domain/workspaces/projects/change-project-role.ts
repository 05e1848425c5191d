import { endTasksOf, type Role } from "#src/domain/access/permissions/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import {
  entryOf,
  noProjectMember,
  requireAdministrated,
  requireMember,
  type MemberChange,
} from "./member-change.ts";
import { updateProjectMember, type ProjectMember } from "./queries/members.ts";

/** Throws as `requireProject` does, and `not_found` for a person who has no role in the project. */
export async function changeProjectRole(
  deps: { db: Db; queue: Pick<Queue, "publishBatch"> },
  asked: MemberChange,
  userId: string,
  role: Role,
): Promise<ProjectMember> {
  const project = await requireAdministrated(deps, asked);
  const changed = isId(userId) ? await updateProjectMember(deps.db, project.id, userId, role) : undefined;
  if (!changed) throw noProjectMember();
  if (changed.before !== role) {
    const details = { from: changed.before, to: role };
    await insertAuditEntry(deps.db, entryOf(asked, project, userId, "role_changed", details));
    await endTasksOf(deps.queue, [{ userId }]);
  }
  return requireMember(deps, project, userId);
}
