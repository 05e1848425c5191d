import { expect, it } from "vitest";
import { plainOutput } from "#src/agent/tools/shells/plain-output.ts";
import { runTool } from "#src/agent/tools/run-tool.ts";
import { AppError } from "#src/lib/errors.ts";
import { memoryShells, OPEN_SHELL } from "#test/support/memory-shells.ts";
import { toolCall, toolContext } from "#test/support/tool-context.ts";

const call = (name: string, args: unknown, overrides: Parameters<typeof toolContext>[0] = {}) =>
  runTool(toolCall(name, args), toolContext(overrides));
const refuseToOpen = () =>
  Promise.reject(new AppError("invalid_input", "The project is not running: start it first"));
const QUICKLY = { session_id: OPEN_SHELL, wait_seconds: 0 };

it("a shell runs the program of the container that is named, /bin/sh by default", async () => {
  const asked: unknown[] = [];
  const shells = {
    ...memoryShells(),
    async open(wish: unknown) {
      asked.push(wish);
      return OPEN_SHELL;
    },
  };
  await call("shell_open", {}, { shells });
  await call("shell_open", { command: "python3 -i", container: "api" }, { shells });
  expect(asked).toEqual([
    { command: "/bin/sh", container: undefined },
    { command: "python3 -i", container: "api" },
  ]);
});

it("the model is shown another way where the project does not run", async () => {
  const shells = { ...memoryShells(), open: refuseToOpen };
  expect((await call("shell_open", {}, { shells })).result).toMatchObject({
    success: false,
    error: "The project is not running: start it first.",
    suggestion: expect.stringContaining("bash_exec"),
    details: { next_tool: "bash_exec" },
  });
});

it("a line is typed with its end in the session that was opened, and the model is told that it goes on", async () => {
  const shells = memoryShells(() => ({ output: "hello\r\n" }));
  const { session_id } = (await call("shell_open", {}, { shells })).result;
  const args = { ...QUICKLY, session_id, command: "echo hello" };
  expect((await call("shell_exec", args, { shells })).result).toMatchObject({
    success: true,
    session_id,
    output: "hello\n",
    details: { bytes: 7, is_eof: false, status: "running", exit_code: null, truncated: false },
  });
  expect(shells.typed).toEqual(["echo hello\n"]);
});

it("the model does not wait for a program that has ended, and is told its exit code", async () => {
  const shells = memoryShells(() => ({ output: "bye\r\n", exitCode: 3 }));
  const args = { session_id: OPEN_SHELL, command: "exit 3", wait_seconds: 1 };
  expect((await call("shell_exec", args, { shells })).result).toMatchObject({
    message: "The shell has ended.",
    output: "bye\n",
    details: { is_eof: true, status: "exited", exit_code: 3 },
  });
  const again = await call("shell_exec", args, { shells });
  expect(again.result).toMatchObject({ success: false, error: "The session has ended" });
});

it("of much output the model is shown the beginning and the end", async () => {
  const shells = memoryShells(() => ({ output: `first ${"x".repeat(100_000)} last` }));
  const args = { ...QUICKLY, command: "x", max_output_tokens: 100 };
  const { result } = await call("shell_exec", args, { shells });
  expect(result["output"]).toMatch(/^first x+\n\[\.\.\. \d+ characters cut \.\.\.\]\nx+ last$/u);
  expect(String(result["output"]).length).toBeLessThan(500);
  expect(result["details"]).toMatchObject({ bytes: 100_011, truncated: true });
});

it("a wait ends with the run, however long it was to be", async () => {
  const controller = new AbortController();
  const shells = memoryShells(() => {
    queueMicrotask(() => controller.abort(new Error("cancelled")));
    return { output: "" };
  });
  const args = { session_id: OPEN_SHELL, command: "sleep 100", wait_seconds: 60 };
  const run = call("shell_exec", args, { shells, signal: controller.signal });
  await expect(run).rejects.toThrow("cancelled");
});

it.each([
  { wait_seconds: 61 },
  { wait_seconds: -1 },
  { session_id: "" },
  { session_id: "another" },
  { max_output_tokens: 0 },
])("nothing is typed for %j", async (bad) => {
  const shells = memoryShells();
  expect((await call("shell_exec", { ...QUICKLY, command: "ls", ...bad }, { shells })).success).toBe(false);
  expect(shells.typed).toEqual([]);
});

it("keys are typed as they are; without any the model only looks", async () => {
  const shells = memoryShells();
  const type = async (chars: string) =>
    (await call("write_stdin", { session_id: OPEN_SHELL, chars, yield_time_ms: 0 }, { shells })).result;
  expect(await type("\u0003")).toMatchObject({ success: true, status: "running", truncated: false });
  await shells.write(OPEN_SHELL, "earlier");
  expect((await type(""))["new_output"]).toBe("earlier");
  expect((await type(""))["new_output"]).toBe("");
  expect(shells.typed).toEqual(["\u0003", "earlier"]);
});

it("a session that is closed is gone", async () => {
  const shells = memoryShells();
  const { result } = await call("shell_close", { session_id: OPEN_SHELL }, { shells });
  expect(result).toMatchObject({ success: true, session_id: OPEN_SHELL });
  expect((await call("shell_exec", { ...QUICKLY, command: "ls" }, { shells })).success).toBe(false);
});

it.each([
  ["\u001b[1;32mgreen\u001b[0m\r\n", "green\n"],
  ["\u001b]0;a title\u0007$ ls\r\n", "$ ls\n"],
  ["10 %\r50 %\r100 %\r\ndone\r\n", "100 %\ndone\n"],
  ["50 %\r", "50 %"],
  ["grüße\r\n", "grüße\n"],
])("a terminal's output %j reads %j", (raw, expected) => {
  expect(plainOutput(new TextEncoder().encode(raw))).toBe(expected);
});
