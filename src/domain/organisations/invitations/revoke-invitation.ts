import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import type { MemberCaller } from "#src/domain/organisations/teams/index.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { revokeInvitationRow } from "./queries.ts";
import { notFound } from "./refusals.ts";

/** Revokes an invitation of the caller's team. Throws `not_found`, also for one that is already revoked. */
export async function revokeInvitation(
  deps: { db: Db },
  { userId, membership: { teamId } }: MemberCaller,
  invitationId: string,
  client: Client,
): Promise<void> {
  const [revoked] = isId(invitationId) ? await revokeInvitationRow(deps.db, teamId, invitationId) : [];
  if (!revoked) throw notFound();
  await insertAuditEntry(deps.db, {
    userId,
    teamId,
    action: "invitation.revoked",
    resourceType: "invitation",
    resourceId: revoked.id,
    details: { kind: revoked.kind, email: revoked.email, role: revoked.role },
    client,
  });
}
