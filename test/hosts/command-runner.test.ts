import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCommandRunner } from "#hosts/command-runner/index.ts";
import { makeShellProgram } from "#hosts/command-runner/shell-program.ts";
import { createCommandRunner } from "#src/platform/command-runner/index.ts";
import { decodeFrame, encodeFrame, FromShell } from "#src/shell/frames.ts";
import { HANGS_MS } from "#test/support/hangs.ts";

const AWK_LOOP = "awk 'BEGIN{for(i=0;i<99990;i++)for(j=0;j<99990;j++)k++;}'";

/** Starts a shell process until it is ready. Returns what it complained about. */
async function start(program: string): Promise<string> {
  const options = { env: {}, execArgv: [], silent: true };
  const child = fork("hosts/command-runner/start-shell.cjs", [program], options);
  const complaints = text(child.stderr ?? Readable.from([]));
  const [message] = await once(child, "message");
  // It ends with its parent.
  child.disconnect();
  return `${message}: ${await complaints}`;
}

describe("the program of a shell process", () => {
  const dir = mkdtempSync(path.join(tmpdir(), "workspace-program-"));
  const program = path.join(dir, "shell.packed");
  beforeAll(() => makeShellProgram(program));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it("is not compiled again at a start", async () => {
    expect(await start(program)).toBe("ready: ");
  });

  it("starts without what was compiled by another version of V8", async () => {
    const foreign = path.join(dir, "foreign.packed");
    const packed = readFileSync(program);
    packed.fill(0, 4 + packed.readUInt32LE(0));
    writeFileSync(foreign, packed);
    expect(await start(foreign)).toMatch(/^ready: .*The program is compiled anew/u);
  });
});

describe("the command runner", () => {
  const dir = mkdtempSync(path.join(tmpdir(), "workspace-runner-"));
  let runner: Awaited<ReturnType<typeof startCommandRunner>>;
  beforeAll(async () => {
    runner = await startCommandRunner({ dir, size: { all: 2, perProject: 1 } });
  });
  afterAll(async () => {
    await runner.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** A connection that runs one command without files; resolves once the process has it. */
  const connect = (project: string, command: string, base = runner.url) => {
    const socket = new WebSocket(`${base.replace("http:", "ws:")}?project=${project}`);
    socket.binaryType = "arraybuffer";
    const opened = Promise.withResolvers<"open">();
    const result = Promise.withResolvers<unknown>();
    result.promise.catch(() => {});
    opened.promise.catch(() => {});
    socket.addEventListener("open", () => {
      const job = { kind: "command" as const, command, cwd: "/app", env: {}, timeoutMs: HANGS_MS };
      socket.send(encodeFrame({ kind: "job", job }));
      opened.resolve("open");
    });
    socket.addEventListener("message", ({ data }) => {
      const { message } = decodeFrame(new Uint8Array(data), FromShell);
      if (message.kind === "result") {
        result.resolve(message.result);
        return;
      }
      const answer = { ok: false as const, failure: 1, code: "ENOENT", message: "ENOENT" };
      socket.send(encodeFrame({ kind: "answer", id: message.id, answer }));
    });
    socket.addEventListener("close", ({ code }) => {
      opened.reject(new Error(`closed with ${code}`));
      result.reject(new Error(`closed with ${code}`));
    });
    return { socket, opened: opened.promise, result: result.promise };
  };

  it("refuses callers without its token", async () => {
    const { origin } = new URL(runner.url);
    for (const base of [origin, `${origin}/${"0".repeat(64)}`])
      await expect(connect("p", "true", base).opened).rejects.toThrow("closed");
    expect((await fetch(runner.url)).status).toBe(404);
  });

  it("kills a process that computes when its connection ends, and lets the next of the project in", async () => {
    const first = connect("one", AWK_LOOP);
    await first.opened;
    const second = connect("one", "echo second");
    const other = connect("other", "echo other");
    expect(await other.result).toMatchObject({ stdout: "other\n", exitCode: 0 });
    const outcome = await Promise.race([second.opened, new Promise((resolve) => setTimeout(resolve, 300))]);
    expect(outcome).toBeUndefined();
    first.socket.close();
    expect(await second.result).toMatchObject({ stdout: "second\n", exitCode: 0 });
  });

  it("ends a command that fills memory, and says that it was memory", async () => {
    const { result } = connect("memory", "awk 'BEGIN{while(1)a[i++]=i \"aaaaaaaaaaaaaaaaaaaaaaaaaaa\"}'");
    const outcome = await result.catch((error: unknown) => error);
    // The shell's own count may come first.
    expect(outcome).toSatisfy(
      (ended: { message?: string; exitCode?: number }) =>
        ended.message === "closed with 4001" || ended.exitCode !== 0,
    );
  });

  it("is missed with a sentence that says what to do", async () => {
    const none = createCommandRunner({ url: undefined, loader: undefined, assets: { fetch } });
    expect(() => none.check()).toThrow("LOADER to wrangler.toml, or set PROJECT_RUNTIME=sandbox");
  });
});
