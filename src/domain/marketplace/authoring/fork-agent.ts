import {
  changeAgent,
  createAgent,
  type AgentChange,
  type AgentDeps,
} from "#src/domain/agent-work/agents/index.ts";
import { maySeeSource, switchOff } from "#src/domain/organisations/library/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import { isGuid } from "#src/lib/ids.ts";
import { agentToFork } from "./queries/agents.ts";

const MAX_NAME = 100;

type Change = Omit<AgentChange, "slug">;

/**
 * Copies an agent into the caller's team: an open one that its creator lets others fork and that the team may use, or one
 * of its own. The copy is free, not published and not forkable. Throws `not_found`, and `forbidden` for any other agent.
 */
export async function forkAgent(
  deps: AgentDeps,
  caller: UserCaller,
  { id, change }: { id: string; change: Change },
  client: Client,
) {
  const { teamId } = await requireTeam(deps, caller, "agent.manage");
  const found = isGuid(id) ? await agentToFork(deps.db, { teamId, id }) : undefined;
  if (!found) throw new AppError("not_found", "Agent not found");
  const { agent, mayUse } = found;
  const isOwn = agent.teamId === teamId;
  if (!isOwn && !(agent.isForkable && maySeeSource(agent, teamId, mayUse))) {
    throw new AppError("forbidden", "This agent cannot be forked");
  }
  const { name, description, systemPrompt, model, tools, toolConfigs, config } = agent;
  const { category, mode, agentType, icon, avatarUrl, tags, features, longDescription } = agent;
  return createAgent(
    deps,
    caller,
    {
      description,
      systemPrompt,
      model,
      tools,
      toolConfigs,
      config,
      category,
      mode,
      agentType,
      icon,
      avatarUrl,
      tags,
      features,
      longDescription,
      name: `${name.slice(0, MAX_NAME - 10)} (My Fork)`.toWellFormed(),
      ...change,
      ...(change.config && { config: { ...config, ...change.config } }),
      parentAgentId: agent.id,
      isForkable: false,
    },
    client,
  );
}

/**
 * Changes an agent of the caller's team. Of an open agent that the team took from the marketplace, a fork gets the changes,
 * and the original is switched off. Throws as `changeAgent` and `forkAgent`.
 */
export async function changeOrFork(
  deps: AgentDeps,
  caller: UserCaller,
  { id, change }: { id: string; change: Change },
  client: Client,
): Promise<{ id: string; isFork: boolean }> {
  const { teamId } = await requireTeam(deps, caller, "agent.manage");
  const found = isGuid(id) ? await agentToFork(deps.db, { teamId, id }) : undefined;
  if (!found?.mayUse) throw new AppError("not_found", "Agent not found");
  if (found.agent.teamId === teamId || found.agent.slug === "system-default") {
    await changeAgent(deps, caller, id, change, client);
    return { id, isFork: false };
  }
  const fork = await forkAgent(deps, caller, { id, change }, client);
  await switchOff(deps, { teamId, userId: caller.userId, agentId: id }, client);
  return { id: fork.id, isFork: true };
}
