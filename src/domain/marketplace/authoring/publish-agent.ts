import { uniqueViolation } from "#src/db/unique-violation.ts";
import { checkClosed, requireAgent, type AgentRules } from "#src/domain/agent-work/agents/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import { randomSuffix } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { publishAgentRow, unpublishAgentRow, type Listing } from "./queries/agents.ts";

/** Slugs to try before a collision is a failure. */
const MAX_DRAWS = 10;

export type PublicationInput = Omit<Listing, "slug">;

/**
 * Lists an agent of the caller's team in the marketplace. A slug that is taken there gets a suffix. Publishing again
 * changes the terms for new buyers. Throws `not_found`, `forbidden` for an agent of another team, and `invalid_input` as
 * `checkClosed` does.
 */
export async function publishAgent(
  deps: Pick<AgentRules, "modelSettings"> & { db: Db },
  caller: UserCaller,
  { id, input }: { id: string; input: PublicationInput },
  client: Client,
): Promise<void> {
  const { teamId, agent } = await requireOwn(deps, caller, id);
  checkClosed(deps, { ...input, model: agent.model });
  const { pricingType, priceCents } = input;
  const details = { name: agent.name, pricing_type: pricingType, price_cents: priceCents };
  const entry = { ...entryOf(caller, teamId, id, client), action: "agent.published", details };
  for (let draw = 1; draw <= MAX_DRAWS; draw += 1) {
    const slug = draw === 1 ? agent.slug : `${agent.slug.slice(0, 50).replace(/-$/u, "")}-${randomSuffix(6)}`;
    try {
      if (await publishAgentRow(deps.db, { teamId, id }, { ...input, slug }, entry)) return;
      throw new AppError("not_found", "Agent not found");
    } catch (error) {
      if (!uniqueViolation(error)?.startsWith("agents_")) throw error;
    }
  }
  throw new AppError("internal", "No free slug was found for the agent");
}

/** Takes an agent of the caller's team off the marketplace; teams that have it keep it. Throws as `publishAgent`. */
export async function unpublishAgent(
  deps: { db: Db },
  caller: UserCaller,
  id: string,
  client: Client,
): Promise<void> {
  const { teamId } = await requireOwn(deps, caller, id);
  const entry = { ...entryOf(caller, teamId, id, client), action: "agent.unpublished" };
  if (await unpublishAgentRow(deps.db, { teamId, id }, entry)) return;
  throw new AppError("not_found", "Agent not found");
}

async function requireOwn(deps: { db: Db }, caller: UserCaller, id: string) {
  const { teamId } = await requireTeam(deps, caller, "agent.manage");
  const agent = await requireAgent(deps.db, teamId, id);
  if (agent.teamId !== teamId) throw new AppError("forbidden", "This agent is not your team's");
  return { teamId, agent };
}

const entryOf = ({ userId }: UserCaller, teamId: string, resourceId: string, client: Client) => ({
  userId,
  teamId,
  resourceType: "agent",
  resourceId,
  client,
});
