import { expect, it } from "vitest";
import { McpTools } from "#src/agent/mcp/index.ts";
import { KnownSecrets } from "#src/agent/scrubbing/scrub.ts";
import { findTool, offeredTools, toolDefinitions } from "#src/agent/tools/index.ts";
import { isToolOf } from "#src/agent/turns/gate.ts";
import { pinTools } from "#src/domain/agent-work/mcp/listed-tools.ts";
import { NO_RULES } from "#src/domain/agent-work/mcp/rules.ts";
import { partOf } from "#test/support/part-of.ts";
import { SERVER_OF_TASK } from "#test/support/server-of-task.ts";
import { toolContext } from "#test/support/tool-context.ts";

/** The tools of a task with one server, which has so many. */
function toolsOfTask(count: number, fields: Partial<{ deny: string[] }> = {}): McpTools {
  const names = Array.from({ length: count }, (_, place) => `tool_${place}`);
  const listed = names.map((name) => ({
    name,
    description: `Works on ${name === "tool_7" ? "invoices" : "files"}`,
    inputSchema: { type: "object" },
  }));
  const { tools } = pinTools([], { tools: listed, refused: [], malformed: 0 });
  const server = { ...SERVER_OF_TASK, rules: { ...NO_RULES, ...fields }, tools };
  const secrets = { known: async () => new KnownSecrets([]), learn: () => {} };
  return new McpTools(partOf({}), [server], { secrets, signal: new AbortController().signal });
}

const shown = (foreign: McpTools) =>
  toolDefinitions(toolContext({ foreign }), null)
    .map(({ name }) => name)
    .filter((name) => name.startsWith("mcp__") || name === "find_tools");

it("forty tools are shown, and of more a tool that finds them", () => {
  expect(shown(toolsOfTask(40))).toHaveLength(40);
  expect(shown(toolsOfTask(41))).toEqual(["find_tools"]);
  expect(shown(toolsOfTask(41, { deny: ["tool_1"] }))).toHaveLength(40);
});

it("what was found is shown from then on, by the task's own results alone", async () => {
  const foreign = toolsOfTask(60);
  const context = toolContext({ foreign });
  const find = findTool("find_tools", context);
  const result = await find?.run(JSON.stringify({ query: "Invoices, please" }), context);
  expect(result).toMatchObject({
    success: true,
    message: "1 tool found. You can call it from your next turn on.",
    found: [{ name: "mcp__s__tool_7", description: "[MCP server s] Works on invoices" }],
  });
  const calls = [{ name: "find_tools", result }];
  expect(foreign.found(calls)).toMatchObject([{ name: "mcp__s__tool_7" }]);
  expect(foreign.found([{ name: "web_fetch", result }])).toEqual([]);
  expect(foreign.found([{ name: "find_tools", result: { found: [{ name: "write_file" }] } }])).toEqual([]);
  const none = await find?.run(JSON.stringify({ query: "zebra" }), context);
  expect(none).toMatchObject({ success: true, found: [] });
});

it("all of them can be called, and have an agent's list and a key's scopes to pass", () => {
  const foreign = toolsOfTask(60);
  expect(findTool("mcp__s__tool_59", { foreign })?.name).toBe("mcp__s__tool_59");
  expect(offeredTools(toolContext({ foreign }), ["chat.send"]).map(({ name }) => name)).not.toContain(
    "find_tools",
  );
  for (const name of ["find_tools", "mcp__s__tool_1"]) {
    expect(isToolOf({ tools: null }, name)).toBe(true);
    expect(isToolOf({ tools: ["mcp"] }, name)).toBe(true);
    expect(isToolOf({ tools: ["read_file"] }, name)).toBe(false);
  }
});
