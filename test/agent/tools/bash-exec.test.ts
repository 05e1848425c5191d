import { describe, expect, it } from "vitest";
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

describe("bash_exec", () => {
  it("runs the command in the project root for up to two minutes, and can be ended by the run", async () => {
    const { asked, context } = await run({ command: "ls -l" });
    expect(asked).toEqual([{ command: "ls -l", options: { timeoutMs: 120_000, signal: context.signal } }]);
  });

  it("passes on directory, environment and timeout", async () => {
    const { asked } = await run({ command: "ls", cwd: "./src", env: { CI: "1" }, timeout: 0.5 });
    expect(asked[0]?.options).toMatchObject({ cwd: "src", env: { CI: "1" }, timeoutMs: 500 });
    const inMilliseconds = await run({ command: "ls", timeout: 9, timeout_ms: 250 });
    expect(inMilliseconds.asked[0]?.options).toMatchObject({ timeoutMs: 250 });
  });

  it("runs it over a project that it can only read where nothing may change", async () => {
    const { asked } = await run({ command: "ls" }, {}, { readOnly: true });
    expect(asked[0]?.options).toMatchObject({ readOnly: true });
  });

  it.each([
    { timeout: 601 },
    { timeout_ms: 600_001 },
    { timeout: 0 },
    { cwd: "/etc" },
    { cwd: "../.." },
    { env: { A: 1 } },
    { command: "" },
  ])("runs nothing for %j", async (bad) => {
    const { success, asked } = await run({ command: "ls", ...bad });
    expect(success).toBe(false);
    expect(asked).toEqual([]);
  });

  it("gives the output of a command that succeeded", async () => {
    const { result } = await run({ command: "ls" }, { stdout: "a\nb\n" });
    expect(result).toMatchObject({ success: true, exit_code: 0, timed_out: false, stdout: "a\nb\n" });
  });

  it("shows the model the exit code and all output of a command that failed", async () => {
    const { success, result } = await run(
      { command: "make" },
      { stdout: "cc a.c\n", stderr: "a.c:3: error\n", exitCode: 2 },
    );
    expect(success).toBe(false);
    const text = toModelText(result);
    expect(text).toContain("exit code 2");
    expect(text).toContain("cc a.c");
    expect(text).toContain("a.c:3: error");
  });

  it("says when the timeout ended it, and keeps what it printed until then", async () => {
    const { result } = await run(
      { command: "sleep 9", timeout: 5 },
      { stdout: "so far", exitCode: 124, timedOut: true },
    );
    expect(result).toMatchObject({
      success: false,
      error: "The command was ended after 5 s.",
      exit_code: 124,
      timed_out: true,
      stdout: "so far",
    });
  });
});
