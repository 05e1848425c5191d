import { insertServer, removeServer, type NewMcpServer } from "#src/domain/agent-work/mcp/queries.ts";
import { NO_RULES } from "#src/domain/agent-work/mcp/rules.ts";
import { newId } from "#src/lib/ids.ts";
import { newColleague, newProject, newTeam } from "#test/support/colleagues.ts";
import { CLIENT } from "#test/support/people.ts";
import type { Ceiled, Holding } from "./ceiled.ts";

/** New owners of MCP servers. */
export const MCP_DRIVERS = {
  async mcp_servers_of_person(deps: Ceiled) {
    const { id: userId } = await newColleague(deps.db);
    return mcpServersOf(deps, userId, { scope: "person", userId });
  },
  async mcp_servers_of_team(deps: Ceiled) {
    const { id, owner } = await newTeam(deps.db);
    return mcpServersOf(deps, owner.id, { scope: "team", teamId: id });
  },
  async mcp_servers_of_project(deps: Ceiled) {
    const owner = await newColleague(deps.db);
    const { id: projectId } = await newProject(deps.db, owner);
    return mcpServersOf(deps, owner.id, { scope: "project", projectId });
  },
};

/** MCP servers of an owner, whom a person works for. */
function mcpServersOf(
  deps: Ceiled,
  userId: string,
  owned: Pick<NewMcpServer, "scope" | "userId" | "teamId" | "projectId">,
): Holding {
  const entry = { userId, logTeamId: null, client: CLIENT };
  const server = {
    ...owned,
    url: "https://mcp.example",
    auth: "none",
    rules: NO_RULES,
    state: "error",
  } as const;
  return {
    async make() {
      const id = newId();
      return (await insertServer(deps, { ...server, id, name: id.slice(-12) }, entry)).id;
    },
    remove: (id) => removeServer(deps.db, { id, projectId: null, name: "" }, entry),
  };
}
