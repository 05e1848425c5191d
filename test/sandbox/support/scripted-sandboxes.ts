import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { serve } from "#local/serve.ts";
import { hostWorkspaces } from "#src/platform/runtime/host/index.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { buildWorkspaceServer } from "#workspace-server/build.ts";
import { bundle } from "./bundle.ts";

const WORKER = path.join(import.meta.dirname, "scripted-worker.ts");

/** The service's variables; none of these addresses is called. */
const VARIABLES = {
  ENVIRONMENT: "test",
  PUBLIC_URL: "https://service.test",
  SECRET_KEY: "a-secret-key-for-tests-of-32-characters",
  DATABASE_URL: "postgres://tests@127.0.0.1/none",
  REDIS_URL: "off",
  QSTASH_TOKEN: "token",
  QSTASH_CURRENT_SIGNING_KEY: "current",
  QSTASH_NEXT_SIGNING_KEY: "next",
  DEFAULT_MODEL: "demo",
  DEMO_MODEL_URL: "http://127.0.0.1:9/v1",
};
/** Bindings that the object needs not, but the check of the configuration. */
const OTHERS = [
  "TASK_LOG",
  "PROJECT_WORKSPACE",
  "PROJECT_SOCKETS",
  "RATE_LIMITER",
  "TERMINALS",
  "CHANNEL_CONNECTION",
  "GATEWAY_SHARDS",
  "PROJECT_FILES",
  "PROJECT_ARCHIVES",
  "ASSETS",
];

/** What the check of the bindings asks for. */
export const SETTINGS = { ...VARIABLES, ...Object.fromEntries(OTHERS.map((name) => [name, {}])) };

export interface ScriptedProject {
  runtime: ProjectRuntime;
  /** The root of its files, as its programs see it. */
  mount: string;
  /** End its container, as the platform may at any time. */
  endContainer: () => Promise<void>;
  /** End its object, and have another container run by the time it is back. */
  swapContainer: () => Promise<void>;
  isRunning: () => Promise<boolean>;
  /** Let the idle time of a container pass without a request. */
  expire: () => Promise<void>;
  /** End its object and its workspace server; the container and its disk stay. */
  crash: () => Promise<void>;
}

export interface ScriptedSandboxes {
  newProject(): ScriptedProject;
  close(): Promise<void>;
}

/** The objects of the `sandbox` runtime in workerd, over workspace servers of this machine in the place of containers. */
export async function startScriptedSandboxes(): Promise<ScriptedSandboxes> {
  await using started = new AsyncDisposableStack();
  const dir = realpathSync(mkdtempSync(path.join(tmpdir(), "s-")));
  started.defer(() => rmSync(dir, { recursive: true, force: true }));
  const program = path.join(dir, "server/workspace-server.mjs");
  await buildWorkspaceServer(program);

  // Short, as the project's folder in a container is: the longest path of a project stands behind it.
  const rootOf = (id: string) => path.join(dir, id.slice(0, 8));
  const servers = new Map<string, ChildProcess>();
  const end = async (id: string, signal: NodeJS.Signals = "SIGTERM") => {
    const server = servers.get(id);
    servers.delete(id);
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    server.kill(signal);
    await once(server, "exit");
  };
  const endContainers = async () => void (await Promise.all([...servers.keys()].map((id) => end(id))));
  started.defer(endContainers);
  const begin = async (id: string, { fresh, secretHash }: { fresh: boolean; secretHash: string }) => {
    const root = rootOf(id);
    const diskId = path.join(dir, `${id}.disk-id`);
    if (fresh) {
      rmSync(root, { recursive: true, force: true });
      mkdirSync(root);
      writeFileSync(diskId, randomUUID());
    }
    const options = ["--root", root, "--listen", "0", "--secret-sha256", secretHash];
    const server = spawn(process.execPath, [program, "serve", ...options], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    servers.set(id, server);
    const [line] = await once(createInterface({ input: server.stdout }), "line");
    return { url: `http://127.0.0.1:${String(line).replace("listening ", "")}`, diskId };
  };
  const control = await serve(async (request, response) => {
    const [, id = "", verb, secretHash = ""] = (request.url ?? "").split("/");
    const fresh = verb === "start";
    await end(id, verb === "again" ? "SIGKILL" : "SIGTERM");
    response.end(verb === "end" ? "" : JSON.stringify(await begin(id, { fresh, secretHash })));
  });
  started.defer(() => control.close());

  const worker = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      telemetry: { enabled: false },
      workers: [
        {
          name: "sandboxes",
          modules: [{ type: "ESModule", path: "worker.js", contents: await bundle(WORKER) }],
          compatibilityDate: "2026-11-01",
          compatibilityFlags: ["nodejs_compat"],
          // The SDK notes each start of a container, among the results of the tests.
          bindings: { ...SETTINGS, CONTROL: control.url, SANDBOX_LOG_LEVEL: "error" },
          durableObjects: { SCRIPTED_SANDBOX: { className: "ScriptedSandbox", useSQLite: true } },
        },
      ],
    }),
  );
  started.defer(() => worker.dispose());
  const url = String(await worker.ready).replace(/\/$/, "");

  const owned = started.move();
  return {
    newProject() {
      const id = randomUUID();
      const tell = async (what: string) => fetch(`${url}/projects/${id}/test/${what}`);
      return {
        runtime: hostWorkspaces(url, { db: 0, publish: 0, objects: 0 }).runtime(id),
        mount: rootOf(id),
        endContainer: async () => void (await tell("end-container")),
        swapContainer: async () => void (await tell("swap-container")),
        isRunning: async () => (await (await tell("container")).text()) === '{"running":true}',
        expire: async () => void (await tell("expire")),
        crash: async () => void (await tell("crash")),
      };
    },
    close: () => owned.disposeAsync(),
  };
}
