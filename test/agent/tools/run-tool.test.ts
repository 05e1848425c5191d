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

const done = (exitCode: number) => ({ stdout: "", stderr: "", exitCode, timedOut: false });

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
    const { result } = await runTool(toolCall("read_file", { file_path: "a", limit: "ten" }), toolContext());
    expect(result["error"]).toBe(
      "The arguments do not fit: limit: Invalid input: expected number, received string.",
    );
    expect(result["suggestion"]).toBe(
      "Call read_file again with one JSON object of: file_path (required), offset, limit.",
    );
  });

  it.each([
    ["a number as text", { file_path: "a.txt", offset: "2", limit: " 1 " }],
    ["null for what may be left out", { file_path: "a.txt", offset: null, limit: null }],
    ["the whole as text", JSON.stringify({ file_path: "a.txt", offset: 2, limit: "1" })],
  ])("takes %s where the schema leaves no doubt", async (_, args) => {
    const context = toolContext({ runtime: new MemoryRuntime({ "a.txt": "one\ntwo\nthree\n" }) });
    const { success, result } = await runTool(toolCall("read_file", args), context);
    expect(success).toBe(true);
    expect(JSON.stringify(result)).toContain("two");
  });

  it("takes a list and a boolean as text", async () => {
    const runtime = new MemoryRuntime({ "a.txt": "one\ntwo\n" });
    const edits = JSON.stringify([{ old_str: "one", new_str: "1" }]);
    const editing = toolCall("multi_edit", { file_path: "a.txt", edits });
    expect(await runTool(editing, toolContext({ runtime }))).toMatchObject({ success: true });
    const looking = toolCall("glob", { pattern: "*.txt", include_hidden: "true", limit: "5" });
    expect(await runTool(looking, toolContext({ runtime }))).toMatchObject({ success: true });
  });

  it.each([
    ["a number for a text", { file_path: 42 }, /file_path: .*expected string, received number/u],
    ["a word for a number", { file_path: "a", limit: "1e3" }, /limit: .*expected number, received string/u],
    ["null for what is needed", { file_path: null }, /file_path: /u],
  ])("leaves %s to the model", async (_, args, sentence) => {
    const { result } = await runTool(toolCall("read_file", args), toolContext());
    expect(result["error"]).toMatch(sentence);
  });

  it("refuses arguments that nest too deep at once", async () => {
    const deep = `{"file_path":${"[".repeat(5_000)}${"]".repeat(5_000)}}`;
    const { result } = await runTool(toolCall("read_file", deep), toolContext());
    expect(result["error"]).toBe("The arguments nest more than 100 levels of objects and lists.");
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

  it.each<[string, (abort: () => void) => ReturnType<typeof done> | Promise<never>]>([
    [
      "even if the runtime hangs",
      (abort) => {
        queueMicrotask(abort);
        return new Promise<never>(() => {});
      },
    ],
    [
      "though the command that the abort ended has a result",
      (abort) => {
        abort();
        return done(130);
      },
    ],
    [
      "and not the failure that the abort caused",
      (abort) => {
        abort();
        throw new Error("connection closed");
      },
    ],
  ])("throws the signal's reason at once when the run is aborted, %s", async (_, outcome) => {
    const controller = new AbortController();
    const reason = new Error("cancelled");
    const runtime = new MemoryRuntime({}, () => outcome(() => controller.abort(reason)));
    await expect(runTool(bash, toolContext({ runtime, signal: controller.signal }))).rejects.toBe(reason);
  });
});
