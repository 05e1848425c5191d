import { z } from "zod";
import * as mcp from "#src/domain/agent-work/mcp/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { describeServer, givenClient, Server, ServerFields, ServerParams, SERVERS } from "./server.ts";

const { name, url, auth, token, headers, oauth, tools } = ServerFields;

export const updateMcpServer = endpoint({
  operationId: "updateMcpServer",
  method: "patch",
  path: `${SERVERS}/:mcp_server`,
  summary: "Update an MCP server",
  description:
    "Fields that are absent are unchanged. The token and the headers are kept for the address that they were given for: another host needs them again. With another address or `auth` a connection by OAuth ends.",
  tag: "MCP servers",
  access: { userOrKey: "mcp.manage" },
  params: ServerParams,
  example: { tools: { deny: ["delete_*"] } },
  body: z.object({
    name: name.optional(),
    url: url.optional(),
    auth: auth.optional(),
    token: token.optional(),
    headers: headers.optional().describe("Replace those that are stored"),
    oauth: oauth.optional().describe("Replaces the client, and ends the connection"),
    tools: tools.optional(),
    accept: z
      .record(text({ min: 1, max: 200 }), text({ min: 1, max: 100 }))
      .optional()
      .describe("Accepts what changed tools say now: the `hash` of `changed`, by the tool's name"),
  }),
  refusals: [400, 409],
  response: { status: 200, schema: Server },
  async handler({ services, caller, params, body, client }) {
    const { tools: rules, oauth: given, ...rest } = body;
    const patch = { ...rest, rules, oauthClient: given && givenClient(given) };
    const changed = await mcp.updateServer(services, caller, params.mcp_server, patch, client);
    return describeServer(await mcp.showServer(services, changed));
  },
});
