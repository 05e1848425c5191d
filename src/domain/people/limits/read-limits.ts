import { readCeilings, type AllCeilings, type Limit } from "#src/domain/operations/ceilings/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** What a person and their default team hold, and may hold. Throws as `requireTeam` does. */
export async function readLimits(
  deps: { db: Db; config: AllCeilings },
  caller: UserCaller,
): Promise<Limit[]> {
  const { teamId } = await requireTeam(deps, caller, "team.view");
  return readCeilings(deps, { userId: caller.userId, teamId });
}
