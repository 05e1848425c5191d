import { z } from "zod";
import { MCP_AUTHS, MCP_SCOPES, MCP_STATES } from "#src/db/schema/index.ts";
import { MASK, SERVER_NAME, type McpServer, type ShownServer } from "#src/domain/agent-work/mcp/index.ts";
import { OutboundHeaders } from "#src/http/outbound-headers.ts";
import { Moment, text } from "#src/http/schemas.ts";

export const SERVERS = "/api/mcp/servers";

export const ServerParams = z.object({ mcp_server: z.string() });

const Names = z
  .array(text({ min: 1, max: 200 }))
  .max(200)
  .describe("Names of tools, or beginnings of names before a final `*`");

/** How tools may be called. Absent lists are empty in a new server, and unchanged in a change. */
const Rules = z.object({
  allow: Names.optional().describe("Tools that need no approval in edit mode `ask`"),
  deny: Names.optional().describe("Tools that agents do not have"),
  ask: Names.optional().describe("Tools that need one, although `allow` has them too"),
  read_only: Names.optional().describe("Tools that change nothing: they may run in edit mode `plan`, too"),
});

/** Fields of a server as they are given. */
export const ServerFields = {
  name: text({ min: 1, max: 32 })
    .regex(SERVER_NAME, "must be lower-case letters, digits, - and single _, as in `issue-tracker`")
    .describe("Part of its tools' names: `mcp__<name>__<tool>`"),
  url: text({ min: 1, max: 2_000, trim: true }).describe(
    "Its address, for streamable HTTP or the older HTTP+SSE. Of scope `project`, `http://localhost:PORT` is a program in the project's own container",
  ),
  auth: z
    .enum(MCP_AUTHS)
    .describe(
      "`token` sends the token as `Authorization: Bearer`; `oauth` sends tokens that a person gives by signing in to the server",
    ),
  token: text({ min: 1, max: 8_000, trim: true })
    .regex(/^[\x21-\x7e]+$/u, "must be printable ASCII without spaces")
    .describe("It is stored encrypted, and never shown again"),
  headers: OutboundHeaders.describe("Further headers of every request; stored as the token is"),
  oauth: z
    .object({
      client_id: text({ min: 1, max: 2_000, trim: true }),
      client_secret: text({ min: 1, max: 8_000, trim: true })
        .optional()
        .describe("It is stored encrypted, and never shown again"),
    })
    .describe(
      "This service as a client that somebody registered at the authorization server. Only for one that registers no clients by itself",
    ),
  tools: Rules,
};

/** A client id as it is given. */
export const givenClient = ({ client_id, client_secret }: z.output<typeof ServerFields.oauth>) => ({
  clientId: client_id,
  clientSecret: client_secret ?? null,
});

/** A server as those see it who may use it. */
export const Server = z
  .object({
    id: z.uuid(),
    name: z.string(),
    url: z.string().describe("With values of its query masked; `stdio:` and a hash for a stdio server"),
    scope: z.enum(MCP_SCOPES),
    team_id: z.uuid().nullable(),
    project_id: z.uuid().nullable(),
    auth: z.enum(MCP_AUTHS),
    has_token: z.boolean(),
    oauth: z
      .object({
        client_id: z.string().nullable().describe("By which the authorization server knows this service"),
        has_client_secret: z.boolean(),
        is_connected: z.boolean().describe("Whether there is a token"),
        issuer: z.string().nullable().describe("The authorization server"),
        scopes: z.array(z.string()).describe("Of the token; empty where they are not known"),
        needed_scopes: z.array(z.string()).describe("What the server has asked for beyond those"),
      })
      .nullable()
      .describe("Of `auth` `oauth`"),
    headers: z.record(z.string(), z.string()).describe("Masked"),
    tools: Rules.required(),
    tool_count: z.int().describe("Tools that are known"),
    changed_tools: z.int().describe("Tools of which the server says something else than what was accepted"),
    notes: z.array(z.string()).describe("Tools that were left out, and why"),
    state: z.enum(MCP_STATES).describe("As the last connection found it"),
    state_since: Moment,
    last_error: z.string().nullable(),
    created_at: Moment,
    updated_at: Moment.nullable(),
  })
  .meta({ id: "McpServer" });

export function describeServer(server: ShownServer): z.input<typeof Server> {
  return {
    id: server.id,
    name: server.name,
    url: server.url,
    scope: server.scope,
    team_id: server.teamId,
    project_id: server.projectId,
    auth: server.auth,
    has_token: server.hasToken,
    oauth: server.auth === "oauth" ? describeAuthorization(server) : null,
    headers: Object.fromEntries(server.headerNames.map((name) => [name, MASK])),
    tools: server.rules,
    tool_count: server.tools.length,
    changed_tools: server.tools.filter(({ changed }) => changed !== null).length,
    notes: server.notes,
    state: server.state,
    state_since: server.stateSince.toISOString(),
    last_error: server.lastError,
    created_at: server.createdAt.toISOString(),
    updated_at: server.updatedAt?.toISOString() ?? null,
  };
}

function describeAuthorization({ authorization, neededScope }: ShownServer) {
  const { client = null, grantor = null } = authorization ?? {};
  return {
    client_id: client?.clientId ?? null,
    has_client_secret: (authorization?.encryptedClientSecret ?? null) !== null,
    is_connected: (authorization?.encryptedToken ?? null) !== null,
    issuer: grantor?.server.issuer ?? client?.issuer ?? null,
    scopes: scopesOf(grantor?.scope),
    needed_scopes: scopesOf(neededScope),
  };
}

const scopesOf = (scope: string | null | undefined) => (scope ? scope.split(" ") : []);

/** What a tool's server says of it. */
const Definition = z.object({
  description: z
    .string()
    .describe("Its beginning, as the model is shown it: words of the server, not of this service"),
  input_schema: z.record(z.string(), z.unknown()),
  hash: z.string().describe("Of all that the server says of it"),
});

export const Tool = Definition.extend({
  name: z.string().describe("As the server calls it"),
  problem: z.string().nullable().describe("Why it is not offered"),
  changed: Definition.nullable().describe(
    "What the server says of it now; calls need an approval until this is accepted",
  ),
}).meta({ id: "McpTool" });

const describeDefinition = ({
  description,
  inputSchema,
  hash,
}: McpServer["tools"][number] | NonNullable<McpServer["tools"][number]["changed"]>) => ({
  description,
  input_schema: inputSchema,
  hash,
});

export function describeTool(tool: McpServer["tools"][number]): z.input<typeof Tool> {
  return {
    name: tool.name,
    problem: tool.problem,
    ...describeDefinition(tool),
    changed: tool.changed && describeDefinition(tool.changed),
  };
}
