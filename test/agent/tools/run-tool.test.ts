import { describe, expect, it, vi } from "vitest";
import { runTool } from "#src/agent/tools/run-tool.ts";
import { AppError } from "#src/lib/errors.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { toolCall, toolContext } from "#test/support/tool-context.ts";

const throwing = (error: unknown) =>
  new MemoryRuntime({}, () => {
    throw error;
  });
const bash = toolCall("bash_exec", { command: "make" });

describe("running a tool call", () => {
  it("fails for an unknown tool with the names of those that exist", async () => {
    const { success, result } = await runTool(toolCall("delete_everything", {}), toolContext());
    expect(success).toBe(false);
    expect(result).toMatchObject({
      error: 'There is no tool named "delete_everything".',
      suggestion: expect.stringMatching(/read_file,.*write_file, patch_file/u),
    });
  });

  it("takes no arguments at all for an empty object", async () => {
    expect((await runTool(toolCall("get_project_info", ""), toolContext())).success).toBe(true);
  });

  it("names the argument that is wrong, and what is wrong with it", async () => {
    const { result } = await runTool(toolCall("read_file", { file_path: "a", limit: "10" }), toolContext());
    expect(result["error"]).toBe(
      "The arguments do not fit: limit: Invalid input: expected number, received string.",
    );
    expect(result["suggestion"]).toBe(
      "Call read_file again with one JSON object of: file_path (required), offset, limit.",
    );
  });

  it("names arguments inside lists, and counts what it does not list", async () => {
    const edits = [{ old_str: "a" }, { new_str: 1, old: "b" }, {}, {}];
    const { result } = await runTool(toolCall("multi_edit", { file_path: "a", edits }), toolContext());
    expect(result["error"]).toContain("edits[0].new_str: ");
    expect(result["error"]).toMatch(/; and \d+ more\.$/);
  });

  it("passes on the sentence of a failure the service has a name for", async () => {
    const context = toolContext({ runtime: throwing(new AppError("too_large", "The project is full")) });
    expect(await runTool(bash, context)).toEqual({
      success: false,
      result: { success: false, error: "The project is full" },
    });
  });

  it("suggests another attempt where that may help", async () => {
    const context = toolContext({
      runtime: throwing(new AppError("not_ready", "The runtime is starting")),
    });
    expect((await runTool(bash, context)).result["suggestion"]).toContain("try again");
  });

  it("sends the model to look first where the call may have had an effect", async () => {
    const lost = throwing(new AppError("unavailable", "The command was interrupted"));
    const { result } = await runTool(bash, toolContext({ runtime: lost }));
    expect(result["suggestion"]).toBe("Check what it did before you run it again.");
    vi.spyOn(lost, "stat").mockRejectedValue(new AppError("unavailable", "The runtime does not respond"));
    const read = await runTool(toolCall("read_file", { file_path: "a" }), toolContext({ runtime: lost }));
    expect(read.result["suggestion"]).toBe("This may pass: try again.");
  });

  it("shows nothing of an unexpected failure, and keeps it for the log", async () => {
    const cause = new Error("SQLITE_CORRUPT at 10.0.0.7 with password hunter2");
    const outcome = await runTool(bash, toolContext({ runtime: throwing(cause) }));
    expect(outcome.success).toBe(false);
    expect(outcome.cause).toBe(cause);
    expect(JSON.stringify(outcome.result)).not.toMatch(/SQLITE|hunter2/);
  });

  it("throws the signal's reason at once when the run is aborted, even if the runtime hangs", async () => {
    const controller = new AbortController();
    const reason = new Error("key revoked");
    const runtime = new MemoryRuntime({}, () => {
      queueMicrotask(() => controller.abort(reason));
      return new Promise(() => {});
    });
    await expect(runTool(bash, toolContext({ runtime, signal: controller.signal }))).rejects.toBe(reason);
  });

  it("does not take a command that the abort ended for a result", async () => {
    const controller = new AbortController();
    const reason = new Error("cancelled");
    const runtime = new MemoryRuntime({}, () => {
      controller.abort(reason);
      return { stdout: "", stderr: "", exitCode: 130, timedOut: false };
    });
    await expect(runTool(bash, toolContext({ runtime, signal: controller.signal }))).rejects.toBe(reason);
  });

  it("prefers the reason of the abort to the failure it caused", async () => {
    const controller = new AbortController();
    const reason = new Error("cancelled");
    const runtime = new MemoryRuntime({}, () => {
      controller.abort(reason);
      throw new Error("connection closed");
    });
    await expect(runTool(bash, toolContext({ runtime, signal: controller.signal }))).rejects.toBe(reason);
  });
});
