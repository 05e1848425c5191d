import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { requireOwnTeam, type OwnTeam } from "#src/domain/organisations/teams/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import type { Db } from "#src/platform/db/client.ts";
import { acceptInvitationRow } from "./queries.ts";
import { notFound, over } from "./refusals.ts";

/**
 * Joins the invitation's team. Throws `not_found` for an unknown token, `conflict` for a person who is already a member
 * (their role stays, and the invitation is not used up), `gone` for an invitation that is no longer valid, `forbidden`
 * for an account whose address is not the invited one, `invalid_input` for a team with the most members.
 */
export async function acceptInvitation(
  deps: { db: Db; config: CeilingConfig<"members"> },
  { userId }: UserCaller,
  token: string,
  client: Client,
): Promise<OwnTeam> {
  const { joined, standing } = await acceptInvitationRow(deps, sha256Hex(token), userId);
  if (!joined) {
    if (!standing) throw notFound();
    if (standing.isMember) throw new AppError("conflict", "You are already a member of this team");
    if (!standing.isOpen || standing.isInvited) throw over();
    throw new AppError(
      "forbidden",
      "This invitation is for another email address: sign in with the account that has that address",
    );
  }
  const { id, teamId, kind, role } = joined;
  await insertAuditEntry(deps.db, {
    userId,
    teamId,
    action: "member.joined",
    resourceType: "user",
    resourceId: userId,
    details: { invitation_id: id, kind, role },
    client,
  });
  return requireOwnTeam(deps, userId, teamId);
}
