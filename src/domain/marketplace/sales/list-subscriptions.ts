import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { subscriptionsToAgents } from "./queries.ts";

/** The agents that the caller's team pays for every month, also those whose subscription is over. */
export async function listSubscriptions(deps: { db: Db }, caller: UserCaller) {
  const { teamId } = await requireTeam(deps, caller, "billing.view");
  return subscriptionsToAgents(deps.db, teamId);
}
