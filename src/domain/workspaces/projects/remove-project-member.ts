import { endTasksOf } from "#src/domain/access/permissions/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { entryOf, noProjectMember, requireAdministrated, type MemberChange } from "./member-change.ts";
import { deleteProjectMember } from "./queries/members.ts";

/** Removes a person's role in the project; their role in the team applies again. Throws as `changeProjectRole` does. */
export async function removeProjectMember(
  deps: { db: Db; queue: Pick<Queue, "publishBatch"> },
  asked: MemberChange,
  userId: string,
): Promise<void> {
  const project = await requireAdministrated(deps, asked);
  const [removed] = isId(userId) ? await deleteProjectMember(deps.db, project.id, userId) : [];
  if (!removed) throw noProjectMember();
  await insertAuditEntry(deps.db, entryOf(asked, project, userId, "member_removed", { role: removed.role }));
  await endTasksOf(deps.queue, [{ userId }]);
}
