import { maySeeSource, withoutSource } from "#src/domain/organisations/library/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isGuid } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { agentsForProject, deleteProjectAgent, insertProjectAgent } from "./queries/project-agents.ts";

/** The agents that a project's team may use: those that were added to the project, and the others. */
export async function listProjectAgents(deps: { db: Db }, caller: UserCaller, project: string) {
  const { id: projectId, teamId } = await requireProject(deps, caller, project, "agent.view");
  const rows = await agentsForProject(deps.db, { projectId, teamId });
  return rows.map(({ agent, addedAt }) => ({
    agent: maySeeSource(agent, teamId, true) ? agent : withoutSource(agent),
    addedAt,
  }));
}

/** Adds an agent to a project. Idempotent. Throws `not_found` for an agent that the project's team may not use. */
export async function addProjectAgent(
  deps: { db: Db },
  caller: UserCaller,
  { project, agentId }: { project: string; agentId: string },
): Promise<string> {
  const { id: projectId, teamId } = await requireProject(deps, caller, project, "project.edit");
  const isAdded = isGuid(agentId) && (await insertProjectAgent(deps.db, { projectId, teamId, agentId }));
  if (!isAdded) throw new AppError("not_found", "Agent not found");
  return projectId;
}

/** Removes an agent from a project, which the team may use as before. Throws `not_found`. */
export async function removeProjectAgent(
  deps: { db: Db },
  caller: UserCaller,
  { project, agentId }: { project: string; agentId: string },
): Promise<void> {
  const { id: projectId } = await requireProject(deps, caller, project, "project.edit");
  const isRemoved = isGuid(agentId) && (await deleteProjectAgent(deps.db, { projectId, agentId }));
  if (!isRemoved) throw new AppError("not_found", "The project does not have this agent");
}
