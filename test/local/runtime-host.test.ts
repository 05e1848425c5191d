import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cloneTermContract, gitContract } from "#test/contracts/project-runtime/git.ts";
import { projectRuntimeContract } from "#test/contracts/project-runtime/index.ts";
import { startGitServer, type GitServer } from "#test/support/git-server.ts";
import { NO_BUBBLEWRAP, SKIPPED, startTestHost, type TestHost } from "./support/runtime-host.ts";

describe.skipIf(NO_BUBBLEWRAP)(`the host driver${SKIPPED}`, () => {
  let host: TestHost;
  let gitServer: GitServer;
  beforeAll(async () => {
    gitServer = await startGitServer();
    const outbound = { allowPrivate: false, allowedOrigins: [new URL(gitServer.url).origin] };
    host = await startTestHost({ outbound });
  });
  afterAll(async () => {
    await host?.close();
    await gitServer?.close();
  });

  const open = async () => ({
    runtime: host.newProject().runtime,
    mount: "/app",
    restart: () => host.restart(),
  });
  projectRuntimeContract("bubblewrap", open, { runsProcesses: true });
  const newRemote = async () => gitServer.create(randomUUID());
  gitContract(open, newRemote);
  cloneTermContract(open, newRemote, { outlivesRestart: false });

  it("ends a clone that a later executor's supersedes", async () => {
    const { runtime } = host.newProject();
    const url = gitServer.create("slow", { "a.txt": "a\n" });
    gitServer.setFault({ kind: "silence" });
    const first = runtime.git("clone", { remote: { url }, term: 1 }).catch((error: unknown) => error);
    await vi.waitUntil(() => gitServer.requests.some((request) => request.url.startsWith("/slow")));
    // Reads are served meanwhile.
    expect(await runtime.git("status", {})).toMatchObject({ branch: null });
    gitServer.setFault(undefined);
    expect(await runtime.git("clone", { remote: { url }, term: 2 })).toMatchObject({ branch: "main" });
    expect(await first).toMatchObject({ code: "unavailable" });
  });
});
