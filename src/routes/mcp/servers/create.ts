import { z } from "zod";
import { MCP_SCOPES } from "#src/db/schema/index.ts";
import * as mcp from "#src/domain/agent-work/mcp/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { describeServer, givenClient, Server, ServerFields, SERVERS } from "./server.ts";

export const createMcpServer = endpoint({
  operationId: "createMcpServer",
  method: "post",
  path: SERVERS,
  summary: "Add an MCP server",
  description:
    "Agents then have its tools: those of the person in all projects, those of everybody in the projects of a team, or in one project. The service connects to it at once; `state` and `last_error` say what came of that.",
  tag: "MCP servers",
  access: { userOrKey: "mcp.manage" },
  example: {
    name: "issue-tracker",
    url: "https://mcp.example.com/mcp",
    scope: "person",
    auth: "token",
    token: "example-token",
    tools: { allow: ["search_*"] },
  },
  body: z.object({
    name: ServerFields.name,
    url: ServerFields.url,
    scope: z.enum(MCP_SCOPES).default("person").describe("Whose it is"),
    team: text({ min: 1, max: 100 })
      .optional()
      .describe("Slug, of scope `team`; the one worked in by default"),
    project_id: text({ min: 1, max: 100 }).optional().describe("Of scope `project`: its id or slug"),
    auth: ServerFields.auth
      .optional()
      .describe("By default `token` where a token is given, `oauth` where `oauth` is, else `none`"),
    token: ServerFields.token.optional(),
    headers: ServerFields.headers.optional(),
    oauth: ServerFields.oauth.optional(),
    tools: ServerFields.tools.optional(),
  }),
  refusals: [400, 404, 409],
  response: { status: 200, schema: Server },
  async handler({ services, caller, body, client }) {
    const { name, url, scope, team, token = null, headers = {} } = body;
    const input = {
      name,
      url,
      scope,
      team,
      projectId: body.project_id,
      auth: body.auth ?? authFor(body),
      token,
      headers,
      rules: body.tools ?? {},
      oauthClient: body.oauth && givenClient(body.oauth),
    };
    const made = await mcp.createServer(services, caller, input, client);
    return describeServer(await mcp.showServer(services, made));
  },
});

function authFor({ token, oauth }: { token?: unknown; oauth?: unknown }): "none" | "token" | "oauth" {
  if (token !== undefined) return "token";
  return oauth === undefined ? "none" : "oauth";
}
