import { z } from "zod";
import * as mcp from "#src/domain/agent-work/mcp/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeServer, Server, ServerParams, SERVERS } from "./server.ts";

export const testMcpServer = endpoint({
  operationId: "testMcpServer",
  method: "post",
  path: `${SERVERS}/:mcp_server/test`,
  summary: "Test an MCP server",
  description:
    "Connects to it and lists its tools. New tools are offered to agents from then on. A server that cannot be used is an answer, too.",
  tag: "MCP servers",
  access: { userOrKey: "mcp.manage" },
  params: ServerParams,
  refusals: [409],
  response: {
    status: 200,
    schema: z
      .object({ success: z.boolean(), error: z.string().nullable(), server: Server })
      .meta({ id: "TestedMcpServer" }),
  },
  async handler({ services, caller, params }) {
    const { server, error } = await mcp.testServer(services, caller, params.mcp_server);
    return { success: error === null, error, server: describeServer(await mcp.showServer(services, server)) };
  },
});
