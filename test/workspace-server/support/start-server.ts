import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterAll } from "vitest";
import { sha256Hex } from "#src/lib/hash.ts";
import { SECRET_HEADER } from "#src/platform/runtime/http-runtime/protocol.ts";
import { httpRuntime, type HeldOutside } from "#src/platform/runtime/http-runtime/index.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { buildWorkspaceServer } from "#workspace-server/build.ts";

/** What servers of tests want of every request. */
const SECRET = "a secret of tests";
export const WITH_SECRET = { [SECRET_HEADER]: SECRET };

/** A workspace server over a temporary directory, without any sandbox. */
export interface RunningServer {
  root: string;
  url: string;
  runtime: ProjectRuntime;
  process: ChildProcess;
  /** As a new project: nothing runs and there are no files. */
  reset(): Promise<void>;
  /** End it as a crash does, and start it again over the same directory. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The bundle, made once for this test file. */
export async function buildServer(): Promise<string> {
  const program = path.join(mkdtempSync(path.join(tmpdir(), "workspace-server-")), "workspace-server.mjs");
  afterAll(() => rmSync(path.dirname(program), { recursive: true, force: true }));
  await buildWorkspaceServer(program);
  return program;
}

export async function startWorkspaceServer(program: string): Promise<RunningServer> {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "workspace-")));
  let { child, url } = await launch(program, root);
  const send = (path_: string, init: RequestInit) => {
    const headers = new Headers(init.headers);
    headers.set(SECRET_HEADER, SECRET);
    return fetch(`${url}${path_}`, { ...init, headers, ...(init.body && { duplex: "half" }) });
  };
  const runtime = httpRuntime({ send, held: nothingHeld });
  return {
    root,
    runtime,
    async reset() {
      await runtime.stopProcesses();
      await runtime.replaceEntries(noEntries());
    },
    get url() {
      return url;
    },
    get process() {
      return child;
    },
    async restart() {
      await kill(child);
      ({ child, url } = await launch(program, root));
    },
    async stop() {
      await kill(child);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function launch(program: string, root: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(
    process.execPath,
    [program, "serve", "--root", root, "--listen", "0", "--secret-sha256", sha256Hex(SECRET)],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  for await (const line of createInterface({ input: child.stdout })) {
    child.stdout.resume();
    return { child, url: `http://127.0.0.1:${line.replace("listening ", "")}` };
  }
  throw new Error("The workspace server did not start");
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

async function* noEntries(): AsyncGenerator<never, undefined> {}

const elsewhere = () => Promise.reject(new Error("That belongs to who holds the sandbox"));

const nothingHeld: HeldOutside = {
  storageState: elsewhere,
  freeze: elsewhere,
  thaw: elsewhere,
  discard: elsewhere,
  destroy: elsewhere,
  readTodos: elsewhere,
  writeTodos: elsewhere,
};
