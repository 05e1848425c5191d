import { describe, expect, it } from "vitest";
import { z } from "zod";
import { findTool, toolDefinitions, tools } from "#src/agent/tools/index.ts";
import { runTool } from "#src/agent/tools/run-tool.ts";
import { toEventResult } from "#src/agent/tools/to-event-result.ts";
import { toModelText } from "#src/agent/tools/to-model-text.ts";
import { hugeGit } from "#test/support/huge-git.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { OPEN_SHELL } from "#test/support/memory-shells.ts";
import { png } from "#test/support/pictures.ts";
import { toolCall, toolContext } from "#test/support/tool-context.ts";

const HUGE = `start of it\n${"x".repeat(200_000)}\nend of it\n`;

/** A call of each tool that succeeds, and whose result is as large as the tool allows. */
const CALLS: Record<string, Record<string, unknown>> = {
  read_file: { file_path: "huge.txt" },
  write_file: { file_path: "new.txt", content: HUGE },
  patch_file: { file_path: "huge.txt", old_str: "start of it", new_str: "a".repeat(100_000) },
  multi_edit: { file_path: "huge.txt", edits: [{ old_str: "start of it", new_str: "b".repeat(100_000) }] },
  read_many_files: { include: ["**/*"], max_bytes_per_file: 1_000_000 },
  view_image: { path: "screen.png" },
  list_dir: { dir_path: ".", limit: 500 },
  glob: { pattern: "*", limit: 2_000 },
  grep: { pattern: ".", output_mode: "content", head_limit: 2_000 },
  bash_exec: { command: "cat huge.txt" },
  git_status: {},
  git_diff: {},
  git_log: { max_count: 500 },
  git_blame: { path: "huge.txt" },
  todos: {
    todos: Array.from({ length: 100 }, (_, i) => ({
      content: `${i} ${"y".repeat(990)}`,
      status: "pending",
      priority: "low",
    })),
  },
  update_plan: {
    action: "create",
    name: "Everything",
    plan: Array.from({ length: 50 }, (_, i) => ({
      step: `${i}`,
      status: "pending",
      notes: "n".repeat(1_000),
    })),
  },
  memory_read: {},
  memory_write: { section: "Facts", body: "f".repeat(16_000) },
  get_project_info: {},
  shell_open: {},
  shell_exec: {
    session_id: OPEN_SHELL,
    command: "z".repeat(90_000),
    wait_seconds: 0,
    max_output_tokens: 16_384,
  },
  write_stdin: {
    session_id: OPEN_SHELL,
    chars: "z".repeat(90_000),
    yield_time_ms: 0,
    max_output_tokens: 16_384,
  },
  shell_close: { session_id: OPEN_SHELL },
  web_fetch: { url: "https://example.com/" },
  web_search: { query: "gardens", max_results: 10, detailed: true },
  send_message: { channel: "slack", target: "C1", text: "m".repeat(10_000) },
  manage_schedule: {
    action: "create",
    name: "n".repeat(200),
    schedule: "daily at 9am",
    prompt: "p".repeat(20_000),
    deliver: "origin",
    timezone: "Europe/London",
    repeat: 3,
  },
};

/** A project with as much of everything as a runtime gives. */
const runtime = () =>
  new MemoryRuntime(
    {
      "huge.txt": HUGE,
      "screen.png": png(1, 1),
      ".workspace/memory.md": `## Known\n\n${"k".repeat(100_000)}\n`,
      ...Object.fromEntries(
        Array.from({ length: 300 }, (_, i) => [`many/${"long".repeat(30)}/${i}.txt`, "x\n"]),
      ),
    },
    () => ({ stdout: HUGE, stderr: HUGE, exitCode: 0, timedOut: false }),
    hugeGit,
  );

const Property = z.looseObject({
  description: z.string().min(10).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
});

/** Every field below an object schema, nested ones included, with its description. */
function fieldsOf(schema: unknown, path: string): { path: string; description: string | undefined }[] {
  const { properties = {}, items } = Property.parse(schema);
  const nested = items === undefined ? [] : fieldsOf(items, `${path}[]`);
  return Object.entries(properties).reduce((all, [name, field]) => {
    const here = { path: `${path}.${name}`, description: Property.parse(field).description };
    return [...all, here, ...fieldsOf(field, here.path)];
  }, nested);
}

/** The names of the tools with an effect. */
const having = (effect: string) =>
  tools
    .flatMap((tool) => (tool.effect === effect ? [tool.name] : []))
    .toSorted((a, b) => a.localeCompare(b))
    .join(" ");

describe("the list of tools", () => {
  it("has the tools of the interface", () => {
    expect(toolDefinitions(toolContext(), null).map(({ name }) => name)).toEqual(Object.keys(CALLS));
  });

  it("gives every name and alias to one tool only", () => {
    const names = tools.flatMap((tool) => [tool.name, ...tool.aliases]);
    expect(new Set(names).size).toBe(names.length);
    expect(findTool("todo_write")).toBe(findTool("todos"));
  });

  it("runs side by side only what reads, and runs again only what is safe to repeat", () => {
    expect({ read: having("read"), idempotent: having("idempotent") }).toEqual({
      read: "get_project_info git_blame git_diff git_log git_status glob grep list_dir memory_read read_file read_many_files view_image web_fetch web_search",
      idempotent: "memory_write todos update_plan write_file",
    });
  });
});

describe.each(tools)("$name", (tool) => {
  const args = CALLS[tool.name];

  it("describes itself and every argument in a JSON Schema that models' providers take", () => {
    const { name, description, parameters } = tool.definition;
    expect(name).toMatch(/^[a-z_]{1,64}$/);
    expect(description.length).toBeGreaterThan(20);
    expect(parameters).toMatchObject({ type: "object", additionalProperties: false });
    expect(JSON.stringify(parameters)).not.toMatch(/\$schema|propertyNames|9007199254740991/);
    expect(fieldsOf(parameters, "").filter((field) => field.description === undefined)).toEqual([]);
  });

  it("has a schema that says what it accepts", () => {
    const schema = z.fromJSONSchema(tool.definition.parameters);
    expect(schema.safeParse(args).success).toBe(true);
    expect(schema.safeParse({ ...args, no_such_argument: 1 }).success).toBe(false);
  });

  it("does what it is for a key that has its permission, and keeps what is read and recorded within bounds", async () => {
    const allowed = toolContext({ runtime: runtime(), scopes: tool.scope ? [tool.scope] : [] });
    const outcome = await runTool(toolCall(tool.name, args), allowed);
    expect(outcome).toMatchObject({ success: true, result: { success: true, message: expect.any(String) } });
    expect(toModelText(outcome.result).length).toBeLessThanOrEqual(30_048);
    expect(Buffer.byteLength(JSON.stringify(toEventResult(outcome.result)))).toBeLessThanOrEqual(32 * 1024);
  });

  it("does nothing for a key without its permission, once the run is aborted, or with wrong arguments", async () => {
    const project = runtime();
    // Some need no permission, and change nothing.
    const scope = { success: false, result: { error: expect.stringContaining(tool.scope ?? "") } };
    for (const scopes of [[], ["chat.send"]] as const) {
      const refused = await runTool(toolCall(tool.name, args), toolContext({ runtime: project, scopes }));
      expect(refused).toMatchObject(tool.scope === null ? { success: true } : scope);
    }
    const reason = new Error("cancelled by the user");
    const aborted = toolContext({ runtime: project, signal: AbortSignal.abort(reason) });
    await expect(runTool(toolCall(tool.name, args), aborted)).rejects.toBe(reason);
    for (const [bad, named] of [
      [{ no_such_argument: 1 }, "no_such_argument"],
      [[], "expected object"],
      ['{"file_path": "a', "not valid JSON"],
    ] as const) {
      const outcome = await runTool(toolCall(tool.name, bad), toolContext({ runtime: project }));
      expect(outcome).toMatchObject({
        success: false,
        result: { error: expect.stringContaining(named), suggestion: expect.stringContaining(tool.name) },
      });
    }
    expect(project.writes).toEqual([]);
  });
});
