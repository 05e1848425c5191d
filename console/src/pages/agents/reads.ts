import { keys, useRead } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** Names of what this area reads. */
export const agentKeys = {
  all: ["agents"],
  library: ["agents", "library"],
  one: (agent: string) => ["agents", "one", agent],
};

export const useAgents = () => useRead(agentKeys.all, (signal) => workspace.agents.list({ signal }));

export const useAgent = (agent: string) =>
  useRead(agentKeys.one(agent), (signal) => workspace.agents.get(agent, { signal }));

/** What the marketplace knows of the team's agents: whether they are published and switched on. */
export const useLibrary = () =>
  useRead(agentKeys.library, (signal) => workspace.request("GET", "/api/marketplace/my-agents", { signal }));

/** The agents that were added to a project, those that could be, and what the person may do there. */
export const useAgentChoice = (project: string) =>
  useRead([...keys.projectAgents(project), "choice"], async (signal) => {
    const path = { project };
    const [{ agents }, { available_agents }, { role }] = await Promise.all([
      workspace.request("GET", "/api/marketplace/projects/{project}/agents", { path, signal }),
      workspace.request("GET", "/api/marketplace/projects/{project}/available-agents", { path, signal }),
      workspace.request("GET", "/api/projects/{project}/my-role", { path, signal }),
    ]);
    return { agents, available: available_agents, mayChange: role !== "viewer" };
  });
