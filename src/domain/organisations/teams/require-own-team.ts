import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { teamsOfUser, type OwnTeam } from "./queries.ts";

/**
 * A team of which a person is a member. Throws `not_found` if the membership ended after the request was authenticated.
 */
export async function requireOwnTeam(deps: { db: Db }, userId: string, teamId: string): Promise<OwnTeam> {
  const [found] = await teamsOfUser(deps.db, userId, teamId);
  if (!found) throw new AppError("not_found", "Team not found");
  return found;
}
