import { expect, it } from "vitest";
import { runTool } from "#src/agent/tools/run-tool.ts";
import { toModelText } from "#src/agent/tools/to-model-text.ts";
import type { ExecOptions, ExecResult } from "#src/platform/runtime/project-runtime.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { toolCall, toolContext } from "#test/support/tool-context.ts";

async function run(args: unknown, answer: Partial<ExecResult> = {}, { readOnly = false } = {}) {
  const asked: { command: string; options: ExecOptions }[] = [];
  const runtime = new MemoryRuntime({}, (command, options) => {
    asked.push({ command, options });
    return { stdout: "", stderr: "", exitCode: 0, timedOut: false, ...answer };
  });
  const context = toolContext({ runtime, readOnly });
  return { ...(await runTool(toolCall("bash_exec", args), context)), asked, context };
}

it("a command runs in the project root for up to two minutes, and can be ended by the run", async () => {
  const { asked, context } = await run({ command: "ls -l" });
  expect(asked).toEqual([{ command: "ls -l", options: { timeoutMs: 120_000, signal: context.signal } }]);
});

it.each([
  [
    { cwd: "./src", env: { CI: "1" }, timeout: 0.5 },
    { cwd: "src", env: { CI: "1" }, timeoutMs: 500 },
  ],
  [{ timeout: 9, timeout_ms: 250 }, { timeoutMs: 250 }],
])("a command has the directory, variables and time of %j", async (args, options) => {
  expect((await run({ command: "ls", ...args })).asked).toMatchObject([{ options }]);
});

it("a command runs over a project that it can only read where nothing may change", async () => {
  const { asked } = await run({ command: "ls" }, {}, { readOnly: true });
  expect(asked).toMatchObject([{ options: { readOnly: true } }]);
});

it.each([
  { timeout: 601 },
  { timeout_ms: 600_001 },
  { timeout: 0 },
  { cwd: "/etc" },
  { cwd: "../.." },
  { env: { A: 1 } },
  { command: "" },
])("no command runs for %j", async (bad) => {
  expect(await run({ command: "ls", ...bad })).toMatchObject({ success: false, asked: [] });
});

it("the model is shown the exit code and all output of a command, and when the timeout ended it", async () => {
  const { result: done } = await run({ command: "ls" }, { stdout: "a\nb\n" });
  expect(done).toMatchObject({ success: true, exit_code: 0, timed_out: false, stdout: "a\nb\n" });

  const output = { stdout: "cc a.c\n", stderr: "a.c:3: error\n", exitCode: 2 };
  const { success, result } = await run({ command: "make" }, output);
  expect(success).toBe(false);
  const text = toModelText(result);
  for (const part of ["exit code 2", "cc a.c", "a.c:3: error"]) expect(text).toContain(part);

  const cut = { stdout: "so far", exitCode: 124, timedOut: true };
  expect((await run({ command: "sleep 9", timeout: 5 }, cut)).result).toMatchObject({
    success: false,
    error: "The command was ended after 5 s.",
    exit_code: 124,
    timed_out: true,
    stdout: "so far",
  });
});
