import { endTasksOf } from "#src/domain/access/permissions/index.ts";
import type { AuditEntry } from "#src/domain/access/audit/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import type { MemberCaller } from "#src/domain/organisations/teams/index.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { deletePart, insertAuditEntries, type Part } from "./queries.ts";
import { refusalOfLoss } from "./refusal-of-loss.ts";

interface Deps {
  db: Db;
  queue: Pick<Queue, "publishBatch">;
}

/**
 * Removes a person from the caller's team. They lose access to the team, their keys in it, their roles in its projects
 * and the invitations they made, and their tasks there end. Throws `not_found` for a person who is not in the team,
 * `conflict` for its last administrator and the owner of a personal team.
 */
export async function removeMember(
  deps: Deps,
  { userId: callerId, membership: { teamId } }: MemberCaller,
  userId: string,
  client: Client,
): Promise<void> {
  if (!isId(userId)) throw refusalOfLoss(undefined);
  const event = { action: "member.removed", userId: callerId, teamId, client };
  await endMembership(deps, { teamId, userId: userId.toLowerCase() }, event);
}

/** Removes the caller from the team. Throws `conflict` as `removeMember` does. */
export async function leaveTeam(
  deps: Deps,
  { userId, membership: { teamId } }: MemberCaller,
  client: Client,
): Promise<void> {
  await endMembership(deps, { teamId, userId }, { action: "member.left", userId, teamId, client });
}

async function endMembership(
  deps: Deps,
  part: Part,
  event: Pick<AuditEntry, "action" | "userId" | "teamId" | "client">,
): Promise<void> {
  const { before, removed, revokedKeys } = await deletePart(
    deps.db,
    part,
    event.action === "member.left" ? "left" : "removed",
  );
  if (!before || !removed) throw refusalOfLoss(before);
  await insertAuditEntries(deps.db, [
    { ...event, resourceType: "user", resourceId: part.userId, details: { role: before.role } },
    ...revokedKeys.map((keyId) => ({
      ...event,
      action: "api_key.revoked",
      resourceType: "api_key",
      resourceId: keyId,
      details: { reason: event.action },
    })),
  ]);
  // If the request dies before this, the sweep ends the tasks.
  await endTasksOf(deps.queue, [...revokedKeys.map((keyId) => ({ keyId })), { userId: part.userId }]);
}
