import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { agentToolsContract } from "#test/contracts/agent-tools.ts";
import { bytesOf } from "#test/contracts/project-runtime/bytes.ts";
import { cloneTermContract } from "#test/contracts/project-runtime/git.ts";
import { projectRuntimeContract } from "#test/contracts/project-runtime/index.ts";
import { reopened } from "#test/contracts/project-runtime/under-test.ts";
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

  const openNew = async () => ({
    runtime: host.newProject().runtime,
    mount: "/app",
    restart: () => host.restart(),
  });
  const open = reopened(openNew);
  projectRuntimeContract("bubblewrap", open, { runsProcesses: true, openNew });
  agentToolsContract("bubblewrap", open);
  const newRemote = async () => gitServer.create(randomUUID());
  cloneTermContract(openNew, newRemote, { outlivesRestart: false });

  // The engine that each operation runs in a sandbox of its own is tested without one, in test/git/operations.test.ts.
  it("brings a project's files to a remote by git, and from there to another project", async () => {
    const [{ runtime }, { runtime: other }, url] = await Promise.all([open(), open(), newRemote()]);
    const author = { name: "Ada", email: "ada@example.test" };
    await runtime.git("init", { defaultBranch: "main", remoteUrl: url });
    await runtime.writeFile("src/app.ts", bytesOf("export {};\n"));
    const { sha } = await runtime.git("commit", { message: "first", author, paths: null });
    await runtime.git("push", { remote: { url }, remoteName: "origin", force: false });
    expect(await other.git("clone", { remote: { url } })).toMatchObject({ branch: "main", commitSha: sha });
    expect(await other.readFile("src/app.ts")).toEqual(bytesOf("export {};\n"));
    expect(await other.git("status", {})).toMatchObject({ changes: [], lastCommit: { sha, author } });
    await expect(other.git("switchBranch", { name: "none" })).rejects.toMatchObject({ code: "not_found" });
  });

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
