import { uniqueViolation } from "#src/db/unique-violation.ts";
import { maySeeSource, withoutSource, type Shown } from "#src/domain/organisations/library/index.ts";
import type { Caller, Scope } from "#src/domain/access/permissions/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { requireTeam, whileTeamExists } from "#src/domain/organisations/teams/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import { isGuid, newId } from "#src/lib/ids.ts";
import { slugOf } from "#src/lib/slug.ts";
import type { Db } from "#src/platform/db/client.ts";
import { checkAgent, checkClosed, type AgentRules } from "./check-agent.ts";
import {
  agentsOfTeam,
  chooseModelOf,
  insertAgent,
  isPaidFor,
  modelChoices,
  updateAgentRow,
  visibleAgent,
  type Agent,
  type AgentValues,
} from "./queries.ts";

export type AgentDeps = AgentRules & { db: Db; config: CeilingConfig<"agents"> };
/** Absent fields stay as they are. */
export type AgentChange = Partial<AgentValues>;
export type AgentInput = Omit<AgentValues, "slug"> & { slug?: string };

/** An agent as a person sees it, with the model that the person chose if it is not of the person's team. */
export type AgentOfPerson = Shown<Agent> & { selectedModel: string | null };

/** Agents that the caller's team can use: the service's own, the team's, and those it took from the marketplace. */
export async function listAgents(deps: { db: Db }, caller: Caller): Promise<AgentOfPerson[]> {
  const { teamId } = await requireTeam(deps, caller, "agent.view");
  const [agents, choices] = await Promise.all([
    agentsOfTeam(deps.db, teamId),
    modelChoices(deps.db, caller.userId),
  ]);
  return agents.map((agent) => asSeen(agent, teamId, choices));
}

/** An agent that the caller's team can use. Throws `not_found`. */
export async function findAgent(deps: { db: Db }, caller: Caller, id: string): Promise<AgentOfPerson> {
  const { teamId } = await requireTeam(deps, caller, "agent.view");
  const [agent, choices] = await Promise.all([
    requireAgent(deps.db, teamId, id),
    modelChoices(deps.db, caller.userId),
  ]);
  return asSeen(agent, teamId, choices);
}

/**
 * Chooses an agent's model: for the team's, for all members and by the rules of `changeAgent`; for any other, only for the
 * caller. Null resets the choice. Throws `not_found`, `invalid_input` for an unknown model, and `forbidden` for a closed
 * agent of another team.
 */
export async function selectModel(
  deps: AgentDeps,
  caller: Caller,
  { id, model }: { id: string; model: string | null },
  client: Client,
): Promise<void> {
  const { teamId } = await requireTeam(deps, caller, "agent.view");
  const agent = await requireAgent(deps.db, teamId, id);
  if (agent.teamId === teamId) return void (await changeAgent(deps, caller, id, { model }, client));
  if (agent.sourceType === "closed") {
    throw new AppError("forbidden", "The model of a closed agent is its creator's choice");
  }
  checkAgent(deps, { model });
  await chooseModelOf(deps.db, { userId: caller.userId, agentId: agent.id, model });
}

/** An agent that a team can use. Throws `not_found`. */
export async function requireAgent(db: Db, teamId: string, id: string): Promise<Agent> {
  const agent = isGuid(id) ? await visibleAgent(db, teamId, id) : undefined;
  if (!agent) throw new AppError("not_found", "Agent not found");
  return agent;
}

/**
 * Adds an agent to the caller's team. Throws `forbidden`, `invalid_input` as `checkAgent` and for a team with the most
 * agents, `conflict` for a slug in use.
 */
export async function createAgent(
  deps: AgentDeps,
  caller: Caller,
  input: AgentInput,
  client: Client,
): Promise<Agent> {
  const teamId = await manage(deps, caller);
  const checked = checkAgent(deps, input);
  const slug = input.slug ?? slugOf(input.name, "agent");
  const agent = { ...checked, slug, id: newId(), teamId, createdBy: caller.userId };
  const details = { name: agent.name, slug };
  const entry = { ...entryOf(caller, teamId, agent.id, client), action: "agent.created", details };
  const made = await whileSlugIsFree(whileTeamExists(insertAgent(deps, agent, entry)));
  if (!made) throw new AppError("internal", "The agent was not created");
  return made;
}

/** Changes an agent of the caller's team. Throws as `createAgent`, and `forbidden` for one of the service's own. */
export async function changeAgent(
  deps: AgentDeps,
  caller: Caller,
  id: string,
  change: AgentChange,
  client: Client,
): Promise<Agent> {
  const teamId = await manage(deps, caller);
  const { sourceType } = await requireOwn(deps.db, teamId, id);
  const checked = checkAgent(deps, change);
  if (change.model) checkClosed(deps, { sourceType, model: change.model });
  const details = { changed: Object.keys(change) };
  const entry = { ...entryOf(caller, teamId, id, client), action: "agent.updated", details };
  const changed = await whileSlugIsFree(updateAgentRow(deps.db, { teamId, id }, checked, entry));
  if (!changed) throw new AppError("not_found", "Agent not found");
  return changed;
}

/**
 * Deletes an agent of the caller's team; chats and keys that name it continue with the default agent. Throws as
 * `changeAgent`, and `invalid_input` for one that is published, or that other teams paid for and may still use.
 */
export async function deleteAgent(
  deps: { db: Db },
  caller: Caller,
  id: string,
  client: Client,
): Promise<void> {
  const teamId = await manage(deps, caller);
  const { isPublished } = await requireOwn(deps.db, teamId, id);
  if (isPublished) throw new AppError("invalid_input", "This agent is published: unpublish it first");
  if (await isPaidFor(deps.db, id)) {
    throw new AppError(
      "invalid_input",
      "Other teams paid for this agent and may still use it, or are about to pay for it",
    );
  }
  const entry = { ...entryOf(caller, teamId, id, client), action: "agent.deleted" };
  const deleted = await updateAgentRow(deps.db, { teamId, id }, { isActive: false }, entry);
  if (!deleted) throw new AppError("not_found", "Agent not found");
}

/**
 * The team whose agents the caller may manage. A key bound to projects may not, because the team's agents work in all
 * projects.
 */
async function manage(deps: { db: Db }, caller: Caller): Promise<string> {
  const scope: Scope = "agent.manage";
  if (caller.kind === "key" && caller.projectIds !== null) {
    throw new AppError(
      "forbidden",
      "This API key is bound to projects and cannot change agents, which belong to the whole team",
    );
  }
  return (await requireTeam(deps, caller, scope)).teamId;
}

async function requireOwn(db: Db, teamId: string, id: string): Promise<Agent> {
  const agent = await requireAgent(db, teamId, id);
  if (agent.teamId === null) throw new AppError("forbidden", "Built-in agents cannot be changed");
  if (agent.teamId !== teamId) throw new AppError("forbidden", "This agent belongs to another team");
  return agent;
}

function asSeen(agent: Agent, teamId: string, choices: ReadonlyMap<string, string>): AgentOfPerson {
  const shown = maySeeSource(agent, teamId, true) ? agent : withoutSource(agent);
  return { ...shown, selectedModel: choices.get(agent.id) ?? null };
}

async function whileSlugIsFree<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (uniqueViolation(error) !== "agents_slug_unique") throw error;
    throw new AppError("conflict", "Another agent of the team has this slug", { cause: error });
  }
}

const entryOf = ({ userId }: Caller, teamId: string, resourceId: string, client: Client) => ({
  userId,
  teamId,
  resourceType: "agent",
  resourceId,
  client,
});
