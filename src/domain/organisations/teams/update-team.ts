import { uniqueViolation } from "#src/db/unique-violation.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { updateTeamRow, type OwnTeam, type TeamChange } from "./queries.ts";
import { requireOwnTeam } from "./require-own-team.ts";
import type { MemberCaller } from "./require-team.ts";
import { requireFreeSlug, slugTaken } from "./slugs.ts";

/** Changes a team's name, slug and picture. Throws `conflict` for a taken slug, `invalid_input` for a reserved one. */
export async function updateTeam(
  deps: { db: Db },
  caller: MemberCaller,
  change: TeamChange,
  client: Client,
): Promise<OwnTeam> {
  const { userId, membership } = caller;
  const { teamId } = membership;
  if (change.slug !== undefined) requireFreeSlug(change.slug);
  const named = Object.entries(change).filter(([, value]) => value !== undefined);
  if (named.length > 0) {
    try {
      await updateTeamRow(deps.db, teamId, change, {
        userId,
        teamId,
        action: "team.updated",
        resourceType: "team",
        resourceId: teamId,
        details: { name: change.name, slug: change.slug, avatar_url: change.avatarUrl },
        client,
      });
    } catch (error) {
      if (uniqueViolation(error) === "teams_slug_unique") throw slugTaken(error);
      throw error;
    }
  }
  return requireOwnTeam(deps, userId, teamId);
}
