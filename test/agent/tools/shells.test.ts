import { describe, expect, it } from "vitest";
import { plainOutput } from "#src/agent/tools/shells/plain-output.ts";
import { runTool } from "#src/agent/tools/run-tool.ts";
import { AppError } from "#src/lib/errors.ts";
import { memoryShells, OPEN_SHELL } from "#test/support/memory-shells.ts";
import { toolCall, toolContext } from "#test/support/tool-context.ts";

const call = (name: string, args: unknown, overrides: Parameters<typeof toolContext>[0] = {}) =>
  runTool(toolCall(name, args), toolContext(overrides));

const refuseToOpen = () =>
  Promise.reject(new AppError("invalid_input", "The project is not running: start it first"));

const plain = (text: string) => plainOutput(new TextEncoder().encode(text));

const QUICKLY = { wait_seconds: 0 };

describe("shell_open", () => {
  it("returns a session that the other tools take", async () => {
    const shells = memoryShells();
    const { result } = await call("shell_open", {}, { shells });
    const { session_id } = result;
    const typed = await call("shell_exec", { session_id, command: "pwd", ...QUICKLY }, { shells });
    expect(typed.result).toMatchObject({ success: true, session_id, output: "pwd\n" });
  });

  it("passes on the program and the container, /bin/sh by default", async () => {
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

  it("shows another way where the project does not run", async () => {
    const { success, result } = await call(
      "shell_open",
      {},
      { shells: { ...memoryShells(), open: refuseToOpen } },
    );
    expect(success).toBe(false);
    expect(result).toMatchObject({
      error: "The project is not running: start it first.",
      suggestion: expect.stringContaining("bash_exec"),
      details: { next_tool: "bash_exec" },
    });
  });
});

describe("shell_exec", () => {
  it("adds the line end, and tells that the shell goes on", async () => {
    const shells = memoryShells(() => ({ output: "hello\r\n" }));
    const { result } = await call(
      "shell_exec",
      { session_id: OPEN_SHELL, command: "echo hello", ...QUICKLY },
      { shells },
    );
    expect(shells.typed).toEqual(["echo hello\n"]);
    expect(result).toMatchObject({
      output: "hello\n",
      details: { bytes: 7, is_eof: false, status: "running", exit_code: null, truncated: false },
    });
  });

  it("does not wait for a program that has ended, and tells its exit code", async () => {
    const shells = memoryShells(() => ({ output: "bye\r\n", exitCode: 3 }));
    const args = { session_id: OPEN_SHELL, command: "exit 3", wait_seconds: 1 };
    const { result } = await call("shell_exec", args, { shells });
    expect(result).toMatchObject({
      message: "The shell has ended.",
      output: "bye\n",
      details: { is_eof: true, status: "exited", exit_code: 3 },
    });
    const again = await call("shell_exec", args, { shells });
    expect(again.result).toMatchObject({ success: false, error: "The session has ended" });
  });

  it("shows the beginning and the end of much output", async () => {
    const shells = memoryShells(() => ({ output: `first ${"x".repeat(100_000)} last` }));
    const args = { session_id: OPEN_SHELL, command: "x", max_output_tokens: 100, ...QUICKLY };
    const { result } = await call("shell_exec", args, { shells });
    expect(result["output"]).toMatch(/^first x+\n\[\.\.\. \d+ characters cut \.\.\.\]\nx+ last$/u);
    expect(String(result["output"]).length).toBeLessThan(500);
    expect(result["details"]).toMatchObject({ bytes: 100_011, truncated: true });
  });

  it("ends with the run, however long it was to wait", async () => {
    const controller = new AbortController();
    const shells = memoryShells(() => {
      queueMicrotask(() => controller.abort(new Error("cancelled")));
      return { output: "" };
    });
    const args = { session_id: OPEN_SHELL, command: "sleep 100", wait_seconds: 60 };
    const run = call("shell_exec", args, { shells, signal: controller.signal });
    await expect(run).rejects.toThrow("cancelled");
  });

  it.each([{ wait_seconds: 61 }, { wait_seconds: -1 }, { session_id: "" }, { max_output_tokens: 0 }])(
    "types nothing for %j",
    async (bad) => {
      const shells = memoryShells();
      const args = { session_id: OPEN_SHELL, command: "ls", ...bad };
      expect((await call("shell_exec", args, { shells })).success).toBe(false);
      expect(shells.typed).toEqual([]);
    },
  );

  it("finds no session that is not there", async () => {
    const { result } = await call("shell_exec", { session_id: "another", command: "ls", ...QUICKLY });
    expect(result).toMatchObject({ success: false, error: "Shell session not found" });
  });
});

describe("write_stdin", () => {
  it("types what it is given and nothing else", async () => {
    const shells = memoryShells();
    const args = { session_id: OPEN_SHELL, chars: "\u0003", yield_time_ms: 0 };
    const { result } = await call("write_stdin", args, { shells });
    expect(shells.typed).toEqual(["\u0003"]);
    expect(result).toMatchObject({ success: true, status: "running", truncated: false });
  });

  it("only looks when there is nothing to type", async () => {
    const shells = memoryShells();
    await shells.write(OPEN_SHELL, "earlier");
    const args = { session_id: OPEN_SHELL, chars: "", yield_time_ms: 0 };
    expect((await call("write_stdin", args, { shells })).result["new_output"]).toBe("earlier");
    expect((await call("write_stdin", args, { shells })).result["new_output"]).toBe("");
    expect(shells.typed).toEqual(["earlier"]);
  });
});

describe("shell_close", () => {
  it("ends the session", async () => {
    const shells = memoryShells();
    const { result } = await call("shell_close", { session_id: OPEN_SHELL }, { shells });
    expect(result).toMatchObject({ success: true, session_id: OPEN_SHELL });
    expect((await call("shell_exec", { session_id: OPEN_SHELL, command: "ls" }, { shells })).success).toBe(
      false,
    );
  });
});

describe("what a terminal puts out", () => {
  it.each([
    ["\u001b[1;32mgreen\u001b[0m\r\n", "green\n"],
    ["\u001b]0;a title\u0007$ ls\r\n", "$ ls\n"],
    ["10 %\r50 %\r100 %\r\ndone\r\n", "100 %\ndone\n"],
    ["50 %\r", "50 %"],
    ["grüße\r\n", "grüße\n"],
  ])("%j reads %j", (raw, expected) => {
    expect(plain(raw)).toBe(expected);
  });
});
