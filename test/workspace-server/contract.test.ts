import { afterAll, afterEach, beforeAll } from "vitest";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { projectRuntimeContract } from "#test/contracts/project-runtime/index.ts";
import { buildServer, startWorkspaceServer, type RunningServer } from "./support/start-server.ts";

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
    const server = servers[used] ?? (await startWorkspaceServer(program));
    servers[used] = server;
    used += 1;
    await server.reset();
    return { runtime: unmultiplied(server.runtime), mount: server.root, restart: () => server.restart() };
  },
  // The object that holds a sandbox keeps its storage states; the platform limits its processes.
  { storageStates: false, contained: false, runsProcesses: true, readOnlyCommands: false },
);

/** Nothing limits this server's programs, so a fork bomb would take down the machine: it is never run here. */
function unmultiplied(runtime: ProjectRuntime): ProjectRuntime {
  return {
    ...runtime,
    exec: (command, options) =>
      /\b(\w+)\s*\|\s*\1\s*&/.test(command)
        ? Promise.reject(new Error("Not without a sandbox"))
        : runtime.exec(command, options),
  };
}
