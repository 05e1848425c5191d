import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keepFilesPrivate } from "#local/data-dir.ts";
import type { ProjectLimits } from "#hosts/runtime-host/limits.ts";
import { startRuntimeHost, type RuntimeHostOptions } from "#hosts/runtime-host/index.ts";
import { hostWorkspaces } from "#src/platform/runtime/host/index.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";

/** Why tests of sandboxes are skipped here; `undefined` where they run. */
export const NO_BUBBLEWRAP =
  spawnSync("bwrap", ["--version"]).status === 0 ? undefined : "bubblewrap (bwrap) is not installed";

/** For titles of tests. */
export const SKIPPED = NO_BUBBLEWRAP ? ` (skipped: ${NO_BUBBLEWRAP})` : "";

/** Other files of this process count on it. */
const usualUmask = process.umask();

const MEBIBYTE = 1024 * 1024;

/** Room for every test that is not about limits. */
export const ROOMY: ProjectLimits = {
  memoryBytes: 1024 * MEBIBYTE,
  tasks: 512,
  cpuPercent: 200,
  diskBytes: 1024 * MEBIBYTE,
};

export interface TestHost {
  dataDir: string;
  /** Of the host that runs now. */
  url(): string;
  /** A project, on whichever host runs. */
  runtime(id: string): ProjectRuntime;
  newProject(): { id: string; runtime: ProjectRuntime };
  /** What the host has logged. */
  logged: string[];
  /** End the host and start it over the same data. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** A runtime host with data of its own. */
export async function startTestHost(options: Partial<RuntimeHostOptions> = {}): Promise<TestHost> {
  // As `npm start` does.
  keepFilesPrivate();
  const dataDir = mkdtempSync(join(tmpdir(), "runtime-host-"));
  const logged: string[] = [];
  const start = () =>
    startRuntimeHost({
      dataDir,
      limits: ROOMY,
      outbound: { allowPrivate: false, allowedOrigins: [] },
      network: true,
      log: (line) => logged.push(line),
      lingerMs: 5_000,
      ...options,
    });
  let host = await start();
  const runtime = (id: string) => {
    const current = () => hostWorkspaces(host.url, { db: 0, publish: 0, objects: 0 }).runtime(id);
    return new Proxy(current(), { get: (_, name) => Reflect.get(current(), name) });
  };
  return {
    dataDir,
    logged,
    url: () => host.url,
    runtime,
    newProject: () => {
      const id = randomUUID();
      return { id, runtime: runtime(id) };
    },
    async restart() {
      await host.close();
      host = await start();
    },
    async close() {
      await host.close();
      process.umask(usualUmask);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
