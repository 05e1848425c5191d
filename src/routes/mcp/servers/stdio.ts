import { z } from "zod";
import * as mcp from "#src/domain/agent-work/mcp/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { commandLine } from "#src/lib/command-line.ts";
import { describeServer, Server } from "./server.ts";

const STDIO_SERVERS = "/api/mcp/stdio-servers";

const project_id = text({ min: 1, max: 100 }).describe("Id or slug");

export const listStdioServers = endpoint({
  operationId: "listStdioServers",
  method: "get",
  path: STDIO_SERVERS,
  summary: "List stdio servers",
  description:
    "The programs that the project's `.mcp.json` names, read now. None is started before somebody allows it.",
  tag: "MCP servers",
  access: { userOrKey: "mcp.manage" },
  query: z.object({ project_id }),
  refusals: [404],
  response: {
    status: 200,
    schema: z
      .object({
        servers: z.array(
          z.object({
            name: z.string(),
            state: z
              .enum(["not_allowed", "allowed", "changed"])
              .describe("`changed`: the file says something else since it was allowed, so it is not started"),
            hash: z.string().describe("Of the entry, to allow it by"),
            command: z.string(),
            args: z.array(z.string()),
            command_line: z
              .string()
              .describe(
                "Command and arguments for a person to decide about: in quotes, as JSON, where they need it",
              ),
            cwd: z
              .string()
              .describe("Directory in which it runs, from the project's root; empty for the root"),
            env: z.array(z.string()).describe("Names of its variables"),
            uses: z
              .array(z.string())
              .describe(
                "Names of the project's variables whose values it is given: `${NAME}` in the file stands for them",
              ),
            mcp_server_id: z.uuid().nullable().describe("The server that agents use, once it is allowed"),
          }),
        ),
        notes: z.array(z.string()).describe("What is wrong with the file, or left out of it"),
      })
      .meta({ id: "StdioServers" }),
  },
  async handler({ services, caller, query }) {
    const { servers, notes } = await mcp.listStdioServers(services, caller, query.project_id);
    return {
      servers: servers.map(({ name, state, hash, command, args, cwd, env, uses, serverId }) => ({
        name,
        state,
        hash,
        command,
        args,
        command_line: commandLine([command, ...args]),
        cwd,
        env: Object.keys(env),
        uses,
        mcp_server_id: serverId,
      })),
      notes,
    };
  },
});

export const allowStdioServer = endpoint({
  operationId: "allowStdioServer",
  method: "post",
  path: STDIO_SERVERS,
  summary: "Allow a stdio server",
  description:
    "Everybody's agents in the project then have its tools. It runs in the project's container, and is started at once to read its tools: a key needs `terminal.access` for that, too. Deleting the MCP server withdraws this.",
  tag: "MCP servers",
  access: { userOrKey: "mcp.manage", keyAlso: "terminal.access" },
  example: { project_id: "my-app", name: "database", hash: "0".repeat(64) },
  body: z.object({
    project_id,
    name: text({ min: 1, max: 32 }),
    hash: text({ min: 64, max: 64 }).describe("As the list shows it: what the file says now"),
  }),
  refusals: [400, 404, 409],
  response: { status: 200, schema: Server },
  async handler({ services, caller, body, client }) {
    const { project_id: project, name, hash } = body;
    const allowed = await mcp.allowStdioServer(services, caller, { project, name, hash }, client);
    return describeServer(await mcp.showServer(services, allowed));
  },
});
