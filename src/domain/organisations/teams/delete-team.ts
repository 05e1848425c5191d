import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { deleteTeamRow } from "./queries.ts";
import type { MemberCaller } from "./require-team.ts";

/**
 * Deletes a team with its memberships, invitations, keys and log; its members' personal team becomes their default. The
 * deletion is recorded in the caller's own log, because the team's is deleted. Throws `invalid_input` for a personal
 * team, `conflict` for one that has projects, or agents for which other teams paid.
 */
export async function deleteTeam(deps: { db: Db }, caller: MemberCaller, client: Client): Promise<void> {
  const { userId, membership } = caller;
  const { team, deleted } = await deleteTeamRow(deps.db, membership.teamId);
  if (!team) throw new AppError("not_found", "Team not found");
  if (team.isPersonal) throw new AppError("invalid_input", "A personal team cannot be deleted");
  if (!deleted && team.hasSold) {
    throw new AppError(
      "conflict",
      "Other teams paid for agents of this team and may still use them, or are about to pay for them",
    );
  }
  if (!deleted) throw new AppError("conflict", "The team has projects: move or delete them first");
  await insertAuditEntry(deps.db, {
    userId,
    action: "team.deleted",
    resourceType: "team",
    resourceId: membership.teamId,
    details: { name: team.name, slug: team.slug },
    client,
  });
}
