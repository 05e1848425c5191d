import { z } from "zod";
import * as mcp from "#src/domain/agent-work/mcp/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeServer, describeTool, Server, ServerParams, SERVERS, Tool } from "./server.ts";

export const getMcpServer = endpoint({
  operationId: "getMcpServer",
  method: "get",
  path: `${SERVERS}/:mcp_server`,
  summary: "Get an MCP server",
  tag: "MCP servers",
  access: { userOrKey: "mcp.view" },
  params: ServerParams,
  response: { status: 200, schema: Server },
  async handler({ services, caller, params }) {
    const { server } = await mcp.requireServer(services, caller, params.mcp_server, "mcp.view");
    return describeServer(await mcp.showServer(services, server));
  },
});

export const listMcpServerTools = endpoint({
  operationId: "listMcpServerTools",
  method: "get",
  path: `${SERVERS}/:mcp_server/tools`,
  summary: "List an MCP server's tools",
  description: "As they were when somebody last added or tested the server. Nothing is asked of the server.",
  tag: "MCP servers",
  access: { userOrKey: "mcp.view" },
  params: ServerParams,
  response: { status: 200, schema: z.array(Tool) },
  async handler({ services, caller, params }) {
    const { server } = await mcp.requireServer(services, caller, params.mcp_server, "mcp.view");
    return server.tools.map(describeTool);
  },
});
