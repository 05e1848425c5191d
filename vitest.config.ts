import path from "node:path";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig, type Plugin } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { HANGS_MS, WAIT_HANGS_MS } from "./test/support/hangs.ts";
import { cheaperProcesses } from "./test/support/process-environment.ts";
import { RequireAll } from "./test/support/require-all.ts";
import { RunSeed } from "./test/support/run-seed.ts";
import { SlowestFiles } from "./test/support/slowest-files.ts";

/** Bindings that object tests need; none of these addresses is called by them. */
const bindings = {
  ENVIRONMENT: "test",
  PUBLIC_URL: "https://service.test",
  SECRET_KEY: "a-secret-key-for-tests-of-32-characters",
  DATABASE_URL: "postgres://tests@127.0.0.1/none",
  REDIS_URL: "off",
  QSTASH_URL: "http://127.0.0.1:9",
  QSTASH_TOKEN: "token",
  QSTASH_CURRENT_SIGNING_KEY: "current",
  QSTASH_NEXT_SIGNING_KEY: "next",
  DEFAULT_MODEL: "demo",
  DEMO_MODEL_URL: "http://127.0.0.1:9/v1",
  // The git server of the tests is on this machine.
  OUTBOUND_ALLOW_PRIVATE: "true",
  MAX_STREAMS_PER_TASK: "2",
};

/** Where the files are that keep a core busy for longest, longest first. */
const BUSY = [
  "test/hosts/runtime-host.test.ts",
  "test/surface/",
  "test/hosts/",
  "test/stand-ins/",
  "test/local/",
  // Each of these starts many programs at once, or a bundler: they come while the workers themselves have little memory.
  "test/mcp/",
  "test/sandbox/",
  "test/sdk/",
  "test/workspace-server/",
  "test/durable-objects/project-workspace.test.ts",
  "test/durable-objects/",
  "test/domain/people/two-factor/",
  "test/journeys/",
];
/** Where files mostly wait: for something that was killed to be there again. */
const WAITING = "test/crash/";

/**
 * A slow file that begins last would run alone, with a core idle. And every third file is one that waits, as long as there are
 * any: two others keep two cores busy. The order is the same on every machine.
 */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const waiting = files.filter(isWaiting);
    const busy = slowestFirst(files.filter((file) => !isWaiting(file)));
    const spread = busy.flatMap((file, place) =>
      place % 2 === 1 ? [file, ...waiting.splice(0, 1)] : [file],
    );
    return [...spread, ...waiting];
  }
}

function slowestFirst(files: readonly TestSpecification[]): TestSpecification[] {
  return files.toSorted((one, other) => rank(one) - rank(other));
}

function isWaiting(file: TestSpecification): boolean {
  return nameOf(file).startsWith(WAITING);
}

function rank(file: TestSpecification): number {
  const place = BUSY.findIndex((slow) => nameOf(file).startsWith(slow));
  return place === -1 ? BUSY.length : place;
}

function nameOf({ moduleId }: TestSpecification): string {
  return path.relative(import.meta.dirname, moduleId);
}

/** Vitest tells Node of the condition `development`, under which some packages are unbuilt sources, or check each of their steps. */
const packagesAsInProduction: Plugin = {
  name: "packages-as-in-production",
  configResolved({ ssr: { resolve } }) {
    if (resolve?.conditions)
      resolve.conditions = resolve.conditions.filter((name) => name !== "development|production");
  },
};

const inWorkerd = ["test/durable-objects/**/*.test.ts", "test/workerd/**/*.test.ts"];

// Before any worker starts: it and the processes of its tests inherit them.
for (const [name, value] of Object.entries(cheaperProcesses())) process.env[name] ??= value;

export default defineConfig({
  test: {
    // With it, a module may be one that was made before package.json changed what its imports lead to, and workerd is handed
    // all modules of a test file in one message, which may be 32 MiB long at most.
    fsModuleCache: false,
    sequence: { sequencer: SlowestFirst },
    reporters: ["default", new SlowestFiles(), new RequireAll(), new RunSeed()],
    projects: [
      {
        // The client's and the command line's own sources, not what was built of them.
        ssr: { resolve: { conditions: ["workspace-source", "node"] } },
        plugins: [packagesAsInProduction],
        test: {
          name: "node",
          include: ["test/**/*.test.ts"],
          exclude: inWorkerd,
          // Many files mostly wait, for a service to start or a task to be taken over: five at a time keep two cores busy.
          maxWorkers: 5,
          sequence: { groupOrder: 1 },
          globalSetup: ["test/support/prepare.ts"],
          // Files share the modules of their worker: to load them anew took more time than most files. What a file may not
          // leave to the next is checked in left-as-found.ts.
          isolate: false,
          // By itself V8 lets a heap grow fourfold before it cleans up: the workers kept 700 MiB more in the middle of a run.
          execArgv: ["--max-semi-space-size=16", "--heap-growing-percent=30"],
          // Node loads the files as they stand, as it does those of the service. Vite's transforms took a tenth of a run's time.
          // Without its loader there is no `vi.mock`, which reaches no module that an earlier file has loaded: spy on an object.
          experimental: { viteModuleRunner: false, nodeLoader: false },
          setupFiles: [
            "test/support/before-a-file.ts",
            // Before the others, so that it ends last.
            "test/support/core-seconds.ts",
            "test/support/fuzz-seed.ts",
            "test/support/single-use-connections.ts",
            "test/support/patience.ts",
            "test/support/left-as-found.ts",
            "test/support/rejections.ts",
          ],
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
          expect: { poll: { timeout: WAIT_HANGS_MS } },
        },
      },
      {
        plugins: [
          cloudflareTest(({ inject }) => ({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: { bindings: { ...bindings, COMMAND_RUNNER_URL: inject("commandRunnerUrl") } },
          })),
        ],
        // As wrangler.toml has it.
        resolve: { alias: { "async-lock": path.join(import.meta.dirname, "src/git/run-lock.ts") } },
        test: {
          name: "workerd",
          include: inWorkerd,
          // Each worker is a workerd that loads all of the Worker's modules, for ten processor seconds: two keep two cores busy.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
          globalSetup: ["test/support/prepare-workerd.ts"],
          // Also of the Worker's modules: each file would start a workerd of its own and load them for five seconds.
          isolate: false,
          setupFiles: [
            "test/support/patience.ts",
            "test/support/left-as-found.ts",
            "test/support/rejections.ts",
          ],
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
          expect: { poll: { timeout: WAIT_HANGS_MS } },
        },
      },
    ],
  },
});
