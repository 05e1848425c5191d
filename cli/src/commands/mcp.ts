import type { api } from "@agent-workspace/client";
import { command, group } from "../command.ts";
import type { Context } from "../context.ts";
import { CommandError, UsageError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { openService, projectIdOf, UUID, type Service } from "../service.ts";

const server = { type: "positional", description: "Name or id of the server" } as const;

const list = command("ls", {
  description: "List the MCP servers that you can see",
  args: {
    project: { type: "string", alias: "p", description: "Those that agents have in this project" },
  },
  async run(context, { project }) {
    const service = await openService(context);
    const query = project === undefined ? {} : { project_id: await projectIdOf(context, service, project) };
    context.output.list(
      await service.workspace.request("GET", "/api/mcp/servers", { query }),
      [
        { title: "id", text: ({ id }) => id },
        { title: "name", text: ({ name }) => name },
        { title: "of", text: ({ scope }) => scope },
        { title: "state", text: ({ state }) => state },
        { title: "tools", text: ({ tool_count }) => tool_count },
        { title: "address", text: ({ url }) => url },
        { title: "error", text: ({ last_error }) => last_error },
      ],
      "There are no MCP servers. `workspace mcp add NAME URL` adds one.",
    );
  },
});

const add = command("add", {
  description: "Give agents the tools of an MCP server",
  args: {
    name: { type: "positional", description: "Part of its tools' names, as `issue-tracker`" },
    address: { type: "positional", description: "Its address for streamable HTTP" },
    project: { type: "string", alias: "p", description: "For everybody in this project" },
    team: { type: "string", description: "For everybody in this team, by its slug" },
    "token-env": { type: "string", description: "Environment variable with its token", valueHint: "NAME" },
    allow: {
      type: "string",
      description: "Tools that need no approval, with commas; a final * is a wildcard",
    },
    deny: { type: "string", description: "Tools that agents do not get" },
    "read-only": { type: "string", description: "Tools that change nothing: plan mode has them" },
  },
  async run(context, args) {
    if (args.project !== undefined && args.team !== undefined) {
      throw new UsageError("--project and --team exclude each other");
    }
    const service = await openService(context);
    const token = tokenOf(context, args["token-env"]);
    const made = await service.workspace.request("POST", "/api/mcp/servers", {
      body: {
        name: args.name,
        url: args.address,
        ...(args.project !== undefined && {
          scope: "project" as const,
          project_id: await projectIdOf(context, service, args.project),
        }),
        ...(args.team !== undefined && { scope: "team" as const, team: args.team }),
        ...(token !== undefined && { token }),
        tools: {
          ...(args.allow !== undefined && { allow: namesIn(args.allow) }),
          ...(args.deny !== undefined && { deny: namesIn(args.deny) }),
          ...(args["read-only"] !== undefined && { read_only: namesIn(args["read-only"]) }),
        },
      },
    });
    context.output.show(made, `Added ${made.name}: ${describe(made)}`);
    noteLeftOut(context, made);
  },
});

const test = command("test", {
  description: "Connect to an MCP server, and list its tools",
  args: { server },
  async run(context, args) {
    const service = await openService(context);
    const path = { mcp_server: await serverId(service, args.server) };
    const tested = await service.workspace.request("POST", "/api/mcp/servers/{mcp_server}/test", { path });
    if (!tested.success) {
      throw new CommandError(EXIT.failed, "mcp_server_failed", tested.error ?? "The server cannot be used");
    }
    const tools = await service.workspace.request("GET", "/api/mcp/servers/{mcp_server}/tools", { path });
    context.output.list(
      tools,
      [
        { title: "tool", text: ({ name }) => name },
        { title: "description", text: ({ description }) => description.split("\n")[0] },
        {
          title: "note",
          text: ({ problem, changed }) => problem ?? (changed ? "has changed: accept it" : ""),
        },
      ],
      "It has no tools.",
    );
    noteLeftOut(context, tested.server);
  },
});

const remove = command("rm", {
  description: "Delete an MCP server, with its token",
  args: { server, yes: { type: "boolean", alias: "y", description: "Do not ask" } },
  async run(context, args) {
    const service = await openService(context);
    const id = await serverId(service, args.server);
    await context.input.confirm(`Delete ${args.server}?`, { yes: args.yes === true });
    await service.workspace.request("DELETE", "/api/mcp/servers/{mcp_server}", { path: { mcp_server: id } });
    context.output.show({ deleted: id }, `Deleted ${args.server}`);
  },
});

function describe({ state, tool_count: tools, last_error: error }: api.McpServer): string {
  return state === "connected" ? `${tools} tool${tools === 1 ? "" : "s"}` : (error ?? state);
}

function noteLeftOut(context: Context, { notes }: api.McpServer): void {
  if (context.output.json) return;
  for (const note of notes) context.output.note(note);
}

/** A token on the command line would be seen by every process of the machine. */
function tokenOf(context: Context, variable: string | undefined): string | undefined {
  if (variable === undefined) return undefined;
  const token = context.environment[variable];
  if (!token) throw new UsageError(`The environment has no ${variable}`);
  return token;
}

const namesIn = (text: string) =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** The id of the server that is meant. Throws `UsageError` for a name that none has, or several have. */
async function serverId({ workspace }: Service, named: string): Promise<string> {
  if (UUID.test(named)) return named;
  const servers = await workspace.request("GET", "/api/mcp/servers");
  const found = servers.filter(({ name }) => name === named);
  const [first] = found;
  if (!first) throw new UsageError(`There is no MCP server ${named}`);
  if (found.length > 1)
    throw new UsageError(`There are ${found.length} MCP servers ${named}: name one by its id`);
  return first.id;
}

export const mcp = group(
  "mcp",
  "List, add and test MCP servers, whose tools agents use",
  { ls: list, add, test, rm: remove },
  "ls",
);
