import { mkdtempSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { projectRuntimeContract } from "#test/contracts/project-runtime/index.ts";
import { NO_BUBBLEWRAP } from "#test/hosts/support/runtime-host.ts";
import { ProjectFiles } from "../../workspace-server/files/project-files.ts";
import { ProjectPaths } from "../../workspace-server/files/project-paths.ts";
import { buildServer, startWorkspaceServer, type RunningServer } from "./support/start-server.ts";

async function* empty(): AsyncGenerator<never> {}

describe("files written at once", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "project-files-")));
  afterEach(() => rm(root, { recursive: true, force: true }));

  it("never take the place of what is still being made from one another", async () => {
    const files = new ProjectFiles(new ProjectPaths(root));
    const writeMany = async (writer: number) => {
      for (let index = 0; index < 250; index += 1) await files.write(`${writer}/${index}`, empty(), 1);
    };
    await Promise.all([1, 2, 3].map(writeMany));
    const entries = await files.list("", { recursive: true, exclude: [] });
    expect(entries.filter((entry) => entry.kind === "file")).toHaveLength(750);
    expect(entries).toHaveLength(753);
  });
});

/** What test/hosts/runtime-host.test.ts proves of this server inside a sandbox, where this machine makes none. */
function contractWithoutSandbox(): void {
  let program: string;
  /** As many as one test has projects at once. */
  const servers: RunningServer[] = [];
  let used = 0;
  beforeAll(async () => {
    program = await buildServer();
  });
  afterEach(() => {
    used = 0;
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
  });
  projectRuntimeContract(
    "the workspace server",
    async () => {
      const server = (servers[used] ??= await startWorkspaceServer(program));
      used += 1;
      await server.reset();
      return { runtime: server.runtime, mount: server.root, restart: () => server.restart() };
    },
    // The object that holds a sandbox keeps its storage states; the platform limits its processes.
    { storageStates: false, contained: false, runsProcesses: true, readOnlyCommands: false },
  );
}

if (NO_BUBBLEWRAP || process.env["SANDBOX_TESTS"]) contractWithoutSandbox();
