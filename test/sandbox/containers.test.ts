import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { hostWorkspaces } from "#src/platform/runtime/host/index.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { bytesOf } from "#test/contracts/project-runtime/bytes.ts";
import { entryOf, inTurn } from "#test/contracts/project-runtime/entries.ts";
import { projectRuntimeContract } from "#test/contracts/project-runtime/index.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { NO_CONTAINERS, startRealSandboxes, type RealSandboxes } from "./support/real-sandboxes.ts";

/** Building the image, the first time. */
const START_MS = 15 * 60_000;

const skipped = NO_CONTAINERS ? ` (skipped: ${NO_CONTAINERS})` : "";
describe.skipIf(NO_CONTAINERS)(`the sandbox driver over real containers${skipped}`, () => {
  let sandboxes: RealSandboxes;
  /** Projects of the test that runs. */
  const used = new Set<string>();
  const runtime = (id: string) =>
    hostWorkspaces(sandboxes.url, { db: 0, publish: 0, objects: 0 }).runtime(id);

  beforeAll(async () => {
    sandboxes = await startRealSandboxes();
  }, START_MS);
  // Containers of earlier tests would fill the machine.
  afterEach(async () => {
    await Promise.all(Array.from(used, (id) => runtime(id).destroy()));
    used.clear();
  });
  afterAll(() => sandboxes?.close());

  const open = async () => {
    const id = randomUUID();
    used.add(id);
    return { runtime: runtime(id), mount: "/app" };
  };

  projectRuntimeContract(
    "a container",
    open,
    // Only the platform bounds a fork bomb; Docker on a developer's machine does not.
    { contained: false, runsProcesses: true, readOnlyCommands: false },
  );

  describe("a container", () => {
    let project: ProjectRuntime;
    const run = (command: string) => project.exec(command, { timeoutMs: HANGS_MS });
    beforeEach(async () => {
      project = (await open()).runtime;
    });

    it("runs the workspace server alone, and collects the orphans of commands", async () => {
      for (let orphan = 0; orphan < 12; orphan += 1) await run("(sleep 600 &) ; (setsid sleep 600 &)");
      // The last ones may be on their way.
      await vi.waitUntil(async () => (await run("ps -eo stat= | grep -c ^Z")).stdout === "0\n");
      const { stdout } = await run("cat /proc/1/comm; ps -eo args=");
      const [first, ...programs] = stdout.split("\n");
      expect(first).toBe("sh");
      expect(programs.filter((program) => /^(?:node|bun) /u.test(program))).toHaveLength(1);
      expect(stdout).not.toContain("container-server");
    });

    it("goes on after SIGTERM, and says that it ends", async () => {
      await project.writeFile("file", bytesOf("kept"));
      await run("kill -TERM 1");
      await vi.waitUntil(async () => (await run("test -e /var/lib/workspace/ending")).exitCode === 0);
      expect(await project.readFile("file")).toEqual(bytesOf("kept"));
      await project.freeze(1);
      expect((await project.inventory()).map(({ path }) => path)).toEqual(["file"]);
      await project.discard(1);
      expect(await project.storageState()).toEqual({ state: "absent", generation: 1 });
    });

    it("is ended, and its loss said, when its server does not answer", async () => {
      await project.writeFile("file", bytesOf("x"));
      await expect(run("pkill -STOP -f '[w]orkspace-server.mjs serve'")).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("what was changed since its last snapshot is lost"),
      });
      expect(await project.storageState()).toMatchObject({ state: "absent", lost: true });
      await project.replaceEntries(inTurn([entryOf("file", "back")]), 1);
      expect(await project.readFile("file")).toEqual(bytesOf("back"));
    });
  });
});
