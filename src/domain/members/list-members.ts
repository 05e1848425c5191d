import type { Db } from "#src/platform/db/client.ts";
import { membersOfTeam, type Member } from "./queries.ts";

/** Who belongs to a team, in the order of joining. */
export function listMembers(deps: { db: Db }, teamId: string): Promise<Member[]> {
  return membersOfTeam(deps.db, teamId);
}
