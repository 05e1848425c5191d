import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe } from "vitest";
import { hostWorkspaces } from "#src/platform/runtime/host/index.ts";
import { projectRuntimeContract } from "#test/contracts/project-runtime/index.ts";
import { NO_CONTAINERS, startRealSandboxes, type RealSandboxes } from "./support/real-sandboxes.ts";

/** Building the image, the first time. */
const START_MS = 15 * 60_000;

const skipped = NO_CONTAINERS ? ` (skipped: ${NO_CONTAINERS})` : "";
describe.skipIf(NO_CONTAINERS)(`the sandbox driver over real containers${skipped}`, () => {
  let sandboxes: RealSandboxes;
  const used = new Set<string>();
  const runtime = (id: string) =>
    hostWorkspaces(sandboxes.url, { db: 0, publish: 0, objects: 0 }).runtime(id);

  beforeAll(async () => {
    sandboxes = await startRealSandboxes();
  }, START_MS);
  afterAll(async () => {
    for (const id of used) await runtime(id).destroy();
    await sandboxes?.close();
  });

  projectRuntimeContract(
    "a container",
    async () => {
      // Containers of earlier tests would fill the machine.
      for (const id of used) {
        await runtime(id).destroy();
        used.delete(id);
      }
      const id = randomUUID();
      used.add(id);
      return { runtime: runtime(id), mount: "/app" };
    },
    // Only the platform bounds a fork bomb; Docker on a developer's machine does not.
    { contained: false, runsProcesses: true, readOnlyCommands: false },
  );
});
