import type { Db } from "#src/platform/db/client.ts";
import { membersOfTeam, type Member, type MemberPage } from "./queries.ts";

/** Members of a team, in the order of joining: all, or a page. */
export function listMembers(deps: { db: Db }, teamId: string, page: MemberPage = {}): Promise<Member[]> {
  return membersOfTeam(deps.db, teamId, page);
}
