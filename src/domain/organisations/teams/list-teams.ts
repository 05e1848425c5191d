import type { Db } from "#src/platform/db/client.ts";
import { teamsOfUser, type OwnTeam } from "./queries.ts";

/** Teams of which a person is a member, in the order of joining. */
export function listTeams(deps: { db: Db }, userId: string): Promise<OwnTeam[]> {
  return teamsOfUser(deps.db, userId);
}
