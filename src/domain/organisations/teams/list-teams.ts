import type { Db } from "#src/platform/db/client.ts";
import { teamsOfUser, type OwnTeam } from "./queries.ts";

/** Teams that a person belongs to, in the order of joining. */
export function listTeams(deps: { db: Db }, userId: string): Promise<OwnTeam[]> {
  return teamsOfUser(deps.db, userId);
}
