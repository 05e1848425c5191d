import { endTasksOf, type Role } from "#src/domain/access/permissions/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import type { MemberCaller } from "#src/domain/organisations/teams/index.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { updateRole, type Member } from "./queries.ts";
import { refusalOfLoss } from "./refusal-of-loss.ts";

/**
 * Changes a person's role in the caller's team, from the next request on, also for their keys. Ends tasks of the person
 * that the new role no longer permits. Throws `not_found` for a person who is not in the team, `conflict` for its last
 * administrator and the owner of a personal team.
 */
export async function changeRole(
  deps: { db: Db; queue: Pick<Queue, "publishBatch"> },
  { userId: callerId, membership: { teamId } }: MemberCaller,
  userId: string,
  role: Role,
  client: Client,
): Promise<Member> {
  if (!isId(userId)) throw refusalOfLoss(undefined);
  const { before, changed, member } = await updateRole(deps.db, { teamId, userId }, role);
  if (!before || !changed || !member) throw refusalOfLoss(before);
  if (before.role !== role) {
    await insertAuditEntry(deps.db, {
      userId: callerId,
      teamId,
      action: "member.role_changed",
      resourceType: "user",
      resourceId: member.userId,
      details: { from: before.role, to: role },
      client,
    });
    await endTasksOf(deps.queue, [{ userId: member.userId }]);
  }
  return member;
}
