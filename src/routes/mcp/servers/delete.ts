import { z } from "zod";
import * as mcp from "#src/domain/agent-work/mcp/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ServerParams, SERVERS } from "./server.ts";

export const deleteMcpServer = endpoint({
  operationId: "deleteMcpServer",
  method: "delete",
  path: `${SERVERS}/:mcp_server`,
  summary: "Delete an MCP server",
  description:
    "Agents no longer have its tools. Its token and headers are deleted with it; tokens of OAuth are revoked where that is possible.",
  tag: "MCP servers",
  access: { userOrKey: "mcp.manage" },
  params: ServerParams,
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params, client }) {
    await mcp.deleteServer(services, caller, params.mcp_server, client);
    return null;
  },
});
