import { describe, expect, it } from "vitest";
import { createCommandRunner } from "#src/platform/command-runner/index.ts";
import type { CallFiles } from "#src/shell/file-calls.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { bindings } from "./support/bindings.ts";

const { LOADER: loader, ASSETS: assets } = bindings;
const runner = createCommandRunner({ url: undefined, loader, assets });

/** A project with the file `hello`, and no other. */
const callFiles: CallFiles = async (call) => {
  const bytes = new TextEncoder().encode("hello\n");
  if (call.path === "/" && call.name === "stat")
    return { answer: { ok: true, value: { kind: "directory", mode: 0o755, size: 0, modifiedAt: 0 } } };
  if (call.path !== "/hello")
    return {
      answer: { ok: false, failure: 1, code: "ENOENT", message: "ENOENT: no such file or directory" },
    };
  if (call.name === "read") return { answer: { ok: true }, bytes };
  return { answer: { ok: true, value: { kind: "file", mode: 0o644, size: bytes.length, modifiedAt: 0 } } };
};

const run = (
  command: string,
  {
    timeoutMs = HANGS_MS,
    cancelled = new AbortController().signal,
    project = crypto.randomUUID(),
    files = callFiles,
  } = {},
) =>
  runner.run(
    { value: { kind: "command", command, cwd: "/app", env: { GREETING: "hi" }, timeoutMs } },
    { project, callFiles: files, cancelled, timeoutMs },
  );

/** The loader's behaviour in workerd. Ending busy commands is left to the platform, which workerd does not imitate. */
describe("commands in a dynamically loaded Worker", () => {
  it("see the project's files and the variables they are given", async () => {
    const { value } = await run('cat hello; echo "$GREETING"; echo error >&2; exit 3');
    expect(value).toEqual({
      kind: "command",
      stdout: "hello\nhi\n",
      stderr: "error\n",
      exitCode: 3,
      timedOut: false,
    });
  });

  it("end at their timeout, and when they are cancelled", async () => {
    // An isolate is loaded with a project's first command: that takes a while, which the times of a command include.
    const project = crypto.randomUUID();
    await run("true", { project });
    const { value: late } = await run("sleep 600", { project, timeoutMs: 300 });
    expect(late).toMatchObject({ exitCode: 124, timedOut: true });
    const controller = new AbortController();
    const files: CallFiles = (call) => {
      if (call.name === "read") setTimeout(() => controller.abort(), 0);
      return callFiles(call);
    };
    const { value: cancelled } = await run("cat hello; sleep 600", {
      project,
      files,
      cancelled: controller.signal,
    });
    expect(cancelled).toMatchObject({ exitCode: 130, timedOut: false });
  });

  it("keep what a line of a session leaves", async () => {
    const line = { kind: "line" as const, cwd: "/app", env: {}, status: 0, scratch: [], mayContinue: true };
    const options = { project: crypto.randomUUID(), callFiles, cancelled: new AbortController().signal };
    const { value, bytes } = await runner.run(
      { value: { ...line, text: "cd /tmp; echo kept > kept.txt; NAME=value" } },
      options,
    );
    expect(value).toMatchObject({ kind: "line", cwd: "/tmp", status: 0, variables: { NAME: "value" } });
    expect(value).toMatchObject({ scratch: [{ path: "/tmp/kept.txt", kind: "file", size: 5 }] });
    expect(new TextDecoder().decode(bytes)).toBe("kept\n");
  });

  it("have no network", async () => {
    const { value } = await run("curl -s http://127.0.0.1/ || wget http://127.0.0.1/");
    expect(value).toMatchObject({ kind: "command" });
    expect(value).not.toMatchObject({ exitCode: 0 });
  });
});
