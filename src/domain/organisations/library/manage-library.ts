import type { Caller, UserCaller } from "#src/domain/access/permissions/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import { isGuid } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import {
  agentsInLibrary,
  basesInLibrary,
  removeAgent,
  switchAgent,
  type LibraryAgent,
} from "./queries/library.ts";
import { maySeeSource, withoutSource, type Shown } from "./source.ts";

const MISSING = "Agent not found in the team's library";

/** An agent of the team, and whether it is the team's own. */
export interface AgentOfLibrary extends Omit<LibraryAgent, "agent"> {
  agent: Shown<LibraryAgent["agent"]>;
  isOwn: boolean;
}

/** The agents that the caller's team has, also those that it switched off. */
export async function listLibrary(deps: { db: Db }, caller: Caller): Promise<AgentOfLibrary[]> {
  const { teamId } = await requireTeam(deps, caller, "agent.view");
  const rows = await agentsInLibrary(deps.db, { teamId, userId: caller.userId });
  return rows.map(({ agent, ...rest }) => ({
    ...rest,
    agent: maySeeSource(agent, teamId, true) ? agent : withoutSource(agent),
    isOwn: agent.teamId === teamId,
  }));
}

/** The templates that the caller's team has taken. */
export async function listLibraryBases(deps: { db: Db }, caller: Caller) {
  const { teamId } = await requireTeam(deps, caller, "marketplace.read");
  return basesInLibrary(deps.db, teamId);
}

/**
 * Switches an agent of the library on or off for the whole team. What ended stays ended: such an agent is `not_found`, as
 * is one that the team never took.
 */
export async function toggleAgent(
  deps: { db: Db },
  caller: UserCaller,
  { id, isActive }: { id: string; isActive: boolean },
  client: Client,
): Promise<void> {
  const { teamId } = await requireTeam(deps, caller, "marketplace.install");
  const action = isActive ? "marketplace.switched_on" : "marketplace.switched_off";
  const entry = { userId: caller.userId, teamId, action, resourceType: "agent", resourceId: id, client };
  if (isGuid(id) && (await switchAgent(deps.db, { teamId, agentId: id, isActive }, entry))) return;
  throw new AppError("not_found", MISSING);
}

/**
 * Removes an agent from the team's library. Throws `not_found`, and `invalid_input` for an agent that the team pays for
 * every month.
 */
export async function removeFromLibrary(
  deps: { db: Db },
  caller: UserCaller,
  id: string,
  client: Client,
): Promise<void> {
  const { teamId } = await requireTeam(deps, caller, "marketplace.install");
  const action = "marketplace.removed";
  const entry = { userId: caller.userId, teamId, action, resourceType: "agent", resourceId: id, client };
  const outcome = isGuid(id) ? await removeAgent(deps.db, { teamId, agentId: id }, entry) : "missing";
  if (outcome === "missing") throw new AppError("not_found", MISSING);
  if (outcome === "subscribed") {
    throw new AppError(
      "invalid_input",
      "The team pays for this agent every month: cancel the subscription, and remove the agent when it is over, or switch it off",
    );
  }
}

/** Switches an agent of the library off, if the library has it. */
export async function switchOff(
  deps: { db: Db },
  { teamId, userId, agentId }: { teamId: string; userId: string; agentId: string },
  client: Client,
): Promise<void> {
  const entry = {
    userId,
    teamId,
    action: "marketplace.switched_off",
    resourceType: "agent",
    resourceId: agentId,
  };
  await switchAgent(deps.db, { teamId, agentId, isActive: false }, { ...entry, client });
}
