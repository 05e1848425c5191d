import { describe, expect, it } from "vitest";
import { McpTools } from "#src/agent/mcp/index.ts";
import type { LinkDeps } from "#src/agent/mcp/server-link.ts";
import { KnownSecrets } from "#src/agent/scrubbing/scrub.ts";
import { Deferred } from "#src/agent/tools/deferred.ts";
import type { DeferredRequest } from "#src/agent/tools/tool.ts";
import { followTool } from "#src/agent/tools/run-tool.ts";
import type { ServerOfTask } from "#src/domain/agent-work/mcp/index.ts";
import { pinTools } from "#src/domain/agent-work/mcp/listed-tools.ts";
import { NO_RULES } from "#src/domain/agent-work/mcp/rules.ts";
import {
  McpFailure,
  type ListedTools,
  type McpConnection,
  type McpTaskState,
} from "#src/platform/mcp-client/mcp-client.ts";
import { partOf } from "#test/support/part-of.ts";
import { SERVER_OF_TASK } from "#test/support/server-of-task.ts";
import { toolContext } from "#test/support/tool-context.ts";

const NAME = "mcp__s__build";
const listedAs = (description: string): ListedTools => ({
  tools: [{ name: "build", description, inputSchema: { type: "object" } }],
  refused: [],
  malformed: 0,
});
const { tools: TOOLS } = pinTools([], listedAs("Builds"));
const { tools: OTHERS } = pinTools([], listedAs("Deletes"));

const SECRET = { name: "API_TOKEN", value: "hunter2-hunter2-hunter2", declared: true };
/** Foreign words whose cut goes through the secret. */
const REPEATING_IT = `${"- ".repeat(140)}${SECRET.value}`;

const SERVER = { ...SERVER_OF_TASK, tools: TOOLS };

/** A server that goes on with each call, and says this of it; what it was sent, and the tools of a task that has it. */
function newServer(said: McpTaskState | Error = { kind: "unknown" }) {
  const heard: string[] = [];
  const connection = (url: string): McpConnection => ({
    isListOld: false,
    listTools: async () => listedAs("Builds"),
    callTool: async () => ({ taskId: "t1", message: undefined, ttlMs: undefined, pollMs: undefined }),
    async getTask(taskId) {
      heard.push(`get ${taskId} ${url}`);
      if (said instanceof Error) throw said;
      return said;
    },
    async updateTask(taskId, answers) {
      heard.push(`update ${taskId} ${JSON.stringify(answers)}`);
      return !(said instanceof Error) && said.kind !== "unknown";
    },
    async cancelTask(taskId, { signal } = {}) {
      signal?.throwIfAborted();
      heard.push(`cancel ${taskId} ${url}`);
    },
    close: async () => void heard.push("close"),
  });
  const deps = partOf<LinkDeps>({
    // What is found of a server cannot be stored here, which no call waits for.
    db: partOf({}),
    secrets: { decrypt: async (sealed: string) => sealed },
    log: { warn: () => {} },
    config: {},
    mcpClient: {
      async connect({ url }, { signal } = {}) {
        signal?.throwIfAborted();
        heard.push(`connect ${url}`);
        return connection(url);
      },
    },
  });
  const toolsOf = (server: Partial<ServerOfTask> = {}, signal = new AbortController().signal) =>
    new McpTools(deps, [{ ...SERVER, ...server }], {
      secrets: { known: async () => new KnownSecrets([SECRET]), learn: () => {} },
      signal,
    });
  return { heard, toolsOf };
}

/** What a later step is told of a call that was made as the tool was then. */
async function followed(
  { toolsOf, heard }: ReturnType<typeof newServer>,
  later: Partial<ServerOfTask> = {},
  say?: DeferredRequest["say"],
) {
  const { taskId, tool } = await madeBy(toolsOf());
  heard.length = 0;
  const context = toolContext({ foreign: toolsOf(later) });
  return followTool({ name: NAME }, context, { taskId, tool, say });
}

async function madeBy(tools: McpTools) {
  const failure = await tools
    .find(NAME)
    ?.run("{}", toolContext())
    .catch((error: unknown) => error);
  if (!(failure instanceof Deferred)) throw new Error("The server has not gone on with the call");
  return { name: NAME, taskId: failure.task.taskId, tool: failure.tool };
}

const result = {
  content: [{ type: "text", text: "Built." } as const],
  structured: undefined,
  isError: false,
};

it("is followed by another step without a look at the server's tools", async () => {
  const server = newServer({ kind: "completed", result });
  expect(await followed(server)).toEqual({
    kind: "over",
    result: {
      success: true,
      message: "build returned:",
      mcp_server: "s",
      mcp_tool: "build",
      text: "Built.",
    },
  });
  expect(server.heard).toEqual([`connect ${SERVER.url}`, `get t1 ${SERVER.url}`]);
});

it("is told a person's answers", async () => {
  const working: McpTaskState = { kind: "working", asks: [], message: "x", ttlMs: 1, pollMs: 1 };
  const answers = { where: { action: "decline" } } as const;
  const server = newServer(working);
  expect(await followed(server, {}, { answers })).toMatchObject({ kind: "working", asks: [] });
  expect(server.heard.at(-1)).toBe('update t1 {"where":{"action":"decline"}}');
  expect(await followed(newServer(), {}, { answers })).toMatchObject({ kind: "over" });
});

describe("nothing is asked", () => {
  it.each<[string, Partial<ServerOfTask>]>([
    ["of the server at another address", { url: "https://elsewhere.test/mcp" }],
    ["of another server of that name", { id: "0199c0de-0000-7000-8000-000000000002" }],
    ["about a tool that says something else, and was accepted so", { tools: OTHERS }],
    ["about a tool that is denied", { rules: { ...NO_RULES, deny: ["build"] } }],
    ["about a tool that is gone", { tools: [] }],
  ])("%s", async (_, later) => {
    const server = newServer({ kind: "completed", result });
    const state = await followed(server, later);
    expect(state).toMatchObject({ kind: "failed", passes: "never", result: { success: false } });
    expect(server.heard).toEqual([]);
  });

  it("in place of a tool that a person was asked about since", async () => {
    const server = newServer({ kind: "completed", result });
    const tools = TOOLS.map((tool) => ({ ...tool, changed: OTHERS[0] ?? null }));
    expect(await followed(server, { tools })).toMatchObject({ kind: "over", result: { success: true } });
  });
});

describe("the model is told in a sentence", () => {
  it.each<[string, McpTaskState, string]>([
    [
      "failed",
      { kind: "failed", message: "No\nroom" },
      "The MCP server s ended the call with an error: No room",
    ],
    ["was cancelled", { kind: "cancelled", message: undefined }, "The MCP server s cancelled the call"],
    ["is unknown", { kind: "unknown" }, "no longer knows the call, so its outcome is unknown"],
  ])("that the call %s", async (_, state, error) => {
    const told = await followed(newServer(state));
    expect(told).toMatchObject({
      kind: "over",
      result: { success: false, error: expect.stringContaining(error) },
    });
  });

  it.each([
    ["unreachable", "maybe", "can no longer be asked about it"],
    ["error", "hardly", "can no longer be asked about it"],
    ["needs_authorization", "never", "needs authorization"],
  ] as const)("that the server is %s", async (kind, passes, error) => {
    const told = await followed(newServer(new McpFailure(kind, "Why")));
    expect(told).toMatchObject({ kind: "failed", passes, result: { error: expect.stringContaining(error) } });
  });

  it("that there was a defect, whose cause is for the log", async () => {
    const cause = new Error("A defect");
    expect(await followed(newServer(cause))).toMatchObject({ kind: "failed", passes: "hardly", cause });
  });
});

it("has no part of a secret in words of its server that are cut", async () => {
  const content = [{ type: "resource" as const, uri: REPEATING_IT, mimeType: "text/plain", text: "Whole." }];
  for (const state of [
    { kind: "failed", message: REPEATING_IT },
    { kind: "completed", result: { ...result, content } },
  ] as const)
    expect(JSON.stringify(await followed(newServer(state)))).not.toContain("hunter2");
});

describe("a task that is over", () => {
  it("tells the server so, though its own step was aborted", async () => {
    const server = newServer();
    const call = await madeBy(server.toolsOf());
    server.heard.length = 0;
    await server.toolsOf({}, AbortSignal.abort(new Error("Stopped"))).abandon([call]);
    expect(server.heard).toEqual([`connect ${SERVER.url}`, `cancel t1 ${SERVER.url}`, "close"]);
  });

  it("tells no server at another address", async () => {
    const server = newServer();
    const call = await madeBy(server.toolsOf());
    server.heard.length = 0;
    await server.toolsOf({ url: "https://elsewhere.test/mcp" }).abandon([call]);
    expect(server.heard).toEqual([]);
  });
});
