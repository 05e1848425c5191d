import { setTimeout as pause } from "node:timers/promises";
import type { api } from "@agent-workspace/client";
import { command, group } from "../command.ts";
import type { Context } from "../context.ts";
import { CommandError, UsageError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { openBrowser } from "../input/open-browser.ts";
import { bold } from "../output/styles.ts";
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
        { title: "address", text: ({ url }) => (url.startsWith("stdio:") ? "stdio" : url) },
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
    oauth: { type: "boolean", description: "Its tokens come from a sign-in: `workspace mcp connect NAME`" },
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
    if (args.oauth === true && args["token-env"] !== undefined) {
      throw new UsageError("--oauth and --token-env exclude each other");
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
        ...(args.oauth === true && { auth: "oauth" as const }),
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

const project = { type: "string", alias: "p", required: true, description: "Project with the file" } as const;

const stdio = command("stdio", {
  description: "List the stdio servers that a project's .mcp.json names",
  args: { project },
  async run(context, args) {
    const service = await openService(context);
    const { servers, notes } = await stdioServers(context, service, args.project);
    context.output.list(
      servers,
      [
        { title: "name", text: ({ name }) => name },
        { title: "state", text: ({ state }) => STDIO_STATES[state] },
        { title: "command", text: ({ command_line: line }) => line },
        { title: "in", text: ({ cwd }) => cwd },
        { title: "variables", text: ({ env }) => env.join(" ") },
        { title: "uses", text: ({ uses }) => uses.join(" ") },
      ],
      "The project's .mcp.json names no stdio servers.",
    );
    noteLeftOut(context, { notes });
  },
});

const STDIO_STATES = {
  not_allowed: "not allowed yet",
  allowed: "allowed",
  changed: "changed: allow it again",
};

type StdioServer = api.StdioServers["servers"][number];

/** The question whether a program may run, with all that it is started with. */
function questionOf({ command_line: line, cwd, uses }: StdioServer): string {
  const place = cwd === "" ? "in the project" : `in the project's ${cwd}`;
  const given = uses.length === 0 ? "" : `, with the project's ${uses.join(", ")}`;
  return `Run \`${line}\` ${place}${given}, for everybody's agents there?`;
}

const stdioServers = async (context: Context, service: Service, named: string) =>
  service.workspace.request("GET", "/api/mcp/stdio-servers", {
    query: { project_id: await projectIdOf(context, service, named) },
  });

const allow = command("allow", {
  description: "Let a stdio server of .mcp.json run in its project",
  args: {
    name: { type: "positional", description: "As the file calls it" },
    project,
    yes: { type: "boolean", alias: "y", description: "Do not ask" },
  },
  async run(context, args) {
    const service = await openService(context);
    const { servers } = await stdioServers(context, service, args.project);
    const found = servers.find(({ name }) => name === args.name);
    if (!found) throw new UsageError(`The project's .mcp.json names no stdio server ${args.name}`);
    await context.input.confirm(questionOf(found), { yes: args.yes === true });
    const allowed = await service.workspace.request("POST", "/api/mcp/stdio-servers", {
      body: {
        project_id: await projectIdOf(context, service, args.project),
        name: found.name,
        hash: found.hash,
      },
    });
    context.output.show(allowed, `Allowed ${allowed.name}: ${describe(allowed)}`);
    noteLeftOut(context, allowed);
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

/** How often a connection that a person makes in the browser is looked for, in milliseconds. */
const LOOK_MS = 2_000;
/** As long as a visit to an authorization server may take. */
const MOST_SECONDS = 600;

const connect = command("connect", {
  description: "Connect an MCP server by a sign-in in the browser",
  args: {
    server,
    wait: {
      type: "string",
      description: `Seconds to wait for it; ${MOST_SECONDS} when absent, 0 only prints the address`,
      valueHint: "SECONDS",
    },
  },
  async run(context, args) {
    const seconds = secondsIn(args.wait);
    const service = await openService(context);
    const path = { mcp_server: await serverId(service, args.server) };
    const before = await prepared(service, path);
    // The browser's own session begins the visit: nobody else can finish it.
    const address = `${service.address}/app/mcp-servers/${path.mcp_server}`;
    const isOpened = seconds > 0 && context.input.canAsk && openBrowser(address, context.environment);
    context.output.note(isOpened ? "Your browser opens " : "Open ", bold(address));
    context.output.note("and choose Connect there.");
    if (seconds === 0) return context.output.show({ url: address, state: before.state }, address);
    const connected = await waitForIt(service, path, { before, seconds });
    context.output.show(connected, `Connected ${connected.name}: ${describe(connected)}`);
  },
});

type ServerPath = { mcp_server: string };

/** The server, with OAuth if it has no other credentials. Throws for one with a token, and for a stdio server. */
async function prepared({ workspace }: Service, path: ServerPath): Promise<api.McpServer> {
  const found = await workspace.request("GET", "/api/mcp/servers/{mcp_server}", { path });
  if (found.url.startsWith("stdio:")) {
    throw new UsageError(
      `${found.name} is a stdio server, and needs no sign-in: allow it by \`workspace mcp allow\``,
    );
  }
  if (found.auth === "token") throw new UsageError(`${found.name} has a token, and needs no sign-in`);
  if (found.auth === "oauth") return found;
  return workspace.request("PATCH", "/api/mcp/servers/{mcp_server}", { path, body: { auth: "oauth" } });
}

/** Waits until the server has been connected since, which a later change of its state shows. Throws when the time is over. */
async function waitForIt(
  { workspace }: Service,
  path: ServerPath,
  { before, seconds }: { before: api.McpServer; seconds: number },
): Promise<api.McpServer> {
  const endsAt = Date.now() + seconds * 1000;
  let last = before;
  do {
    await pause(Math.min(LOOK_MS, Math.max(0, endsAt - Date.now())));
    last = await workspace.request("GET", "/api/mcp/servers/{mcp_server}", { path });
    if (last.state === "connected") return last;
  } while (Date.now() < endsAt);
  const why = last.last_error === null ? "" : `. ${last.last_error}`;
  throw new CommandError(EXIT.failed, "not_connected", `${last.name} was not connected in time${why}`);
}

function secondsIn(text: string | undefined): number {
  if (text === undefined) return MOST_SECONDS;
  if (!/^\d{1,3}$/u.test(text) || Number(text) > MOST_SECONDS) {
    throw new UsageError(`--wait takes seconds from 0 to ${MOST_SECONDS}`);
  }
  return Number(text);
}

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

function noteLeftOut(context: Context, { notes }: Pick<api.McpServer, "notes">): void {
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
  "List, add, connect and test MCP servers, whose tools agents use",
  { ls: list, add, connect, test, rm: remove, stdio, allow },
  "ls",
);
