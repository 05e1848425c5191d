import { z } from "zod";
import * as mcp from "#src/domain/agent-work/mcp/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { describeServer, Server, SERVERS } from "./server.ts";

export const listMcpServers = endpoint({
  operationId: "listMcpServers",
  method: "get",
  path: SERVERS,
  summary: "List MCP servers",
  description:
    "The caller's own, and those of their teams and projects, oldest first; with `project_id` those that the caller's agents have in that project.",
  tag: "MCP servers",
  access: { userOrKey: "mcp.view" },
  query: z.object({ project_id: text({ min: 1, max: 100 }).optional() }),
  refusals: [404],
  response: { status: 200, schema: z.array(Server) },
  async handler({ services, caller, query }) {
    const servers = await mcp.listServers(services, caller, query.project_id);
    return (await mcp.showServers(services, servers)).map(describeServer);
  },
});
