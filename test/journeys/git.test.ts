import type { api } from "@agent-workspace/client";
import { afterAll, describe, expect, it, vi } from "vitest";
import { rawServer } from "#test/models/raw-server.ts";
import { startGitServer } from "#test/support/git-server.ts";
import { otherSharedService } from "#test/support/shared-service.ts";
import { call as toolCall, newTaskClient, script } from "#test/support/task-client.ts";

const git = await startGitServer();
const service = await otherSharedService("eager");
afterAll(() => git.close());

const owner = await service.signUp("git");

/** A project of the owner's, and calls below its git routes. */
async function open() {
  const { token } = owner;
  const { id, slug } = await service.newProject(token);
  const call = <T = Record<string, unknown>>(method: string, below: string, json?: unknown) =>
    service.call<T>(method, `/api/projects/${id}/git/${below}`, { token, json });
  const files = `/api/projects/${id}/files`;
  const write = async (path: string, content: string) => {
    const { status } = await service.call("PUT", `${files}/${path}`, { token, json: { content } });
    expect(status).toBe(200);
  };
  const read = async (path: string) =>
    (await service.call<{ content?: string }>("GET", `${files}/${path}`, { token })).body.content;
  const cloned = () =>
    vi.waitUntil(
      async () => {
        const { body } = await call<api.GitClone>("GET", "clone");
        return body.status === "cloning" ? undefined : body;
      },
      { interval: 100 },
    );
  return { id, slug, token, call, write, read, cloned };
}

let last = 0;
const newRepository = () => {
  const name = `app-${(last += 1)}`;
  return { name, url: git.create(name, { "a.txt": "one\ntwo\n", "src/b.txt": "b\n" }) };
};

async function openClone() {
  const repository = newRepository();
  const project = await open();
  const { status, body, text } = await project.call("POST", "clone", { repo_url: repository.url });
  expect([status, status === 200 ? "" : text]).toEqual([200, ""]);
  expect(body).toMatchObject({ status: "cloned", branch: "main", repo_name: repository.name });
  return { ...project, repository };
}

describe("a repository", () => {
  it("is cloned in the background, edited, committed and pushed in one go", async () => {
    const { name, url } = newRepository();
    const { id, token, cloned, call, read, write } = await open();
    await write("old.txt", "old");
    const json = { project_id: id, repo_url: url };
    const begun = await service.call("POST", "/api/git/clone", { token, json });
    expect(begun).toMatchObject({ status: 200, body: { status: "cloning" } });
    expect(await cloned()).toMatchObject({ status: "cloned", error: null });
    expect((await service.call("GET", `/api/git/clone/${id}`, { token })).body).toMatchObject({
      branch: "main",
    });
    expect([await read("a.txt"), await read("old.txt")]).toEqual(["one\ntwo\n", undefined]);
    expect((await call("GET", "info")).body).toMatchObject({ repo_url: url, sync_status: "cloned" });

    const commit = { project_id: id, message: "Change a" };
    const send = () =>
      service.call<{ commit_hash: string }>("POST", "/api/git/commit", { token, json: commit });
    expect(await send()).toMatchObject({ status: 409, body: { detail: expect.stringContaining("nothing") } });
    await write("a.txt", "one\nthree\n");
    await write("new.txt", "new");
    const sent = await send();
    expect(sent).toMatchObject({ status: 200, body: { status: "pushed" } });
    expect(git.git(name, ["rev-parse", "main"])).toBe(sent.body.commit_hash);
    expect(git.read(name, "main", "a.txt")).toBe("one\nthree");
    expect(git.git(name, ["log", "-1", "--format=%an <%ae>", "main"])).toBe(
      `${owner.username} <${owner.email}>`,
    );
  });

  it("takes the place of files that a snapshot keeps; a change on the way is refused, also to an agent", async () => {
    const { name, url } = newRepository();
    const { id, token, cloned, write, read } = await open();
    const files = `/api/projects/${id}/files`;
    await write("old.txt", "old");
    git.setFault({ kind: "hold" });
    git.requests.length = 0;
    try {
      await service.call("POST", "/api/git/clone", { token, json: { project_id: id, repo_url: url } });
      await vi.waitUntil(() => git.requests.length > 0);
      const changes: [string, string, object?][] = [
        ["PUT", `${files}/new.txt`, { content: "new" }],
        ["POST", `${files}/save`, { file_path: "new.txt", content: "new" }],
        ["POST", `${files}/rename`, { old_path: "old.txt", new_path: "other.txt" }],
        ["POST", `${files}/mkdir`, { dir_path: "new" }],
        ["DELETE", files, { file_path: "old.txt", is_directory: false }],
        ["POST", "/api/agent/execute", { project_id: id, command: "touch new.txt" }],
        ["POST", `/api/projects/${id}/sync-config`],
      ];
      for (const [method, path, json] of changes) {
        expect(await service.call(method, path, { token, json })).toMatchObject({
          status: 409,
          body: { detail: "A repository is being cloned into the project: wait until the clone ends" },
        });
      }
      expect(await read("old.txt")).toBe("old");
      const agent = await newTaskClient(service, { account: owner, projectId: id });
      const calls = [
        toolCall("bash_exec", { command: "touch new.txt" }),
        toolCall("list_dir", { path: "." }),
      ];
      const task = await agent.start(script({ tools: calls }, { text: "Done." }));
      const results = (await agent.end(task.task_id)).filter(({ type }) => type === "tool_result");
      expect(results.map(({ body }) => body.result)).toMatchObject([
        { success: false, error: expect.stringContaining("is being cloned") },
        { success: true },
      ]);
    } finally {
      git.setFault(undefined);
    }
    expect(await cloned()).toMatchObject({ status: "cloned", error: null });
    expect([await read("old.txt"), await read("new.txt")]).toEqual([undefined, undefined]);
    const { body } = await service.call<api.ListSnapshotsAnswer>("GET", `/api/projects/${id}/snapshots`, {
      token,
    });
    expect(body.snapshots[0]).toMatchObject({ label: `before the clone of ${name}` });
    const restore = `/api/projects/${id}/snapshots/${body.snapshots[0]?.hash}/restore`;
    expect((await service.call("POST", restore, { token })).status).toBe(200);
    expect(await read("old.txt")).toBe("old");
  });

  it("goes through status, stage, commit, push, pull, branches, diff and log", async () => {
    const { call, write, read, repository } = await openClone();
    await write("a.txt", "one\nthree\n");
    await write("c.txt", "c\n");
    expect((await call("GET", "status")).body).toMatchObject({
      branch: "main",
      unstaged_count: 1,
      untracked_count: 1,
      staged_count: 0,
      remote_branch: "origin/main",
      last_commit: { message: "first" },
    });
    expect((await call("GET", "diff?file_path=a.txt")).body).toMatchObject({
      diff: expect.stringContaining("-two\n+three"),
      files: [{ file_path: "a.txt", additions: 1, deletions: 1, changes: 2 }],
    });
    expect((await call("POST", "stage", { files: ["a.txt"] })).status).toBe(200);
    const committed = await call<{ sha: string }>("POST", "commit", { message: "Only a", files: [] });
    expect(committed.status).toBe(200);
    expect((await call("GET", "status")).body).toMatchObject({ ahead: 1, untracked_count: 1 });
    expect((await call("POST", "push", {})).body).toMatchObject({ success: true, branch: "main" });
    expect(git.log(repository.name, "main")).toEqual(["Only a", "first"]);

    git.commit(repository.name, "main", { "elsewhere.txt": "x\n" }, "Elsewhere");
    expect((await call("POST", "pull", {})).body).toMatchObject({ success: true, conflicts: [] });
    expect(await read("elsewhere.txt")).toBe("x\n");

    git.commit(repository.name, "main", { "a.txt": "one\nfour\n" }, "Against it");
    await write("a.txt", "one\nfive\n");
    await call("POST", "commit", { message: "For it", files: ["a.txt"] });
    expect(await call("POST", "push", {})).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("pull first") },
    });
    expect(await call("POST", "pull", {})).toMatchObject({
      status: 200,
      body: { success: false, conflicts: ["a.txt"] },
    });
    expect(await read("a.txt")).toBe("one\nfive\n");

    expect((await call("POST", "branch", { name: "dev" })).body).toMatchObject({ checked_out: true });
    expect((await call("GET", "branches")).body).toMatchObject({
      status: "ready",
      current_branch: "dev",
      default_branch: "main",
    });
    expect((await call("POST", "switch", { branch: "main" })).status).toBe(200);
    expect((await call("PUT", "branches/switch", { branch: "none" })).status).toBe(404);
    expect((await call("GET", "commits?limit=2")).body).toMatchObject({
      commits: [{ title: "For it", email: owner.email }, { title: "Elsewhere" }],
    });
    expect((await call("GET", "tree")).body).toMatchObject({
      status: "ready",
      branch: "main",
      files: expect.arrayContaining([expect.objectContaining({ path: "a.txt", is_dir: false })]),
    });
    expect((await call("DELETE", "disconnect")).status).toBe(200);
    expect((await call("GET", "info")).body).toBeNull();
    expect((await call("DELETE", "disconnect")).status).toBe(404);
  });

  it("has the branches of its remote, which are fetched on the first switch to them", async () => {
    const { call, read, repository } = await openClone();
    const sha = git.git(repository.name, ["rev-parse", "main"]);
    git.git(repository.name, ["branch", "side", "main"]);
    git.commit(repository.name, "side", { "side.txt": "side\n" }, "On the side");
    expect((await call("GET", "branches")).body).toMatchObject({
      status: "ready",
      branches: [
        { name: "main", sha, current: true, remote: "origin/main" },
        { name: "side", sha: git.git(repository.name, ["rev-parse", "side"]), remote: "origin/side" },
      ],
    });
    expect((await call("PUT", "branches/switch", { branch: "side" })).status).toBe(200);
    expect(await read("side.txt")).toBe("side\n");

    git.setFault({ kind: "status", status: 500 });
    expect(await call("GET", "branches")).toMatchObject({
      status: 200,
      body: { status: "error", http_status: 503, message: expect.any(String), branches: [{}, {}] },
    });
    expect((await call("POST", "switch", { branch: "none" })).status).toBe(503);
    git.setFault(undefined);
  });

  it("is made of a project's own files, and pushed to a remote that was empty", async () => {
    const { call, write } = await open();
    await write("a.txt", "a");
    expect((await call("POST", "init", {})).body).toMatchObject({ branch: "main" });
    expect((await call("POST", "commit", { message: "a" })).status).toBe(200);
    expect(await call("POST", "push", {})).toMatchObject({
      status: 409,
      body: { detail: "The repository has no remote named `origin`" },
    });
    expect((await call("GET", "repo-info")).body).toMatchObject({ status: "no_remote" });
    const url = git.create("own");
    await call("POST", "init", { repo_url: url });
    expect((await call("POST", "push", {})).status).toBe(200);
    expect(git.read("own", "main", "a.txt")).toBe("a");
  });
});

it("more than 32 MiB from a git host are refused", async () => {
  const { call } = await open();
  const ref = `ffdc${"0".repeat(40)} refs/heads/${"x".repeat(65_443)}\n`;
  await using host = await rawServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" });
    response.end(`001e# service=git-upload-pack\n0000${ref.repeat(513)}0000`);
  });
  const answer = await call("POST", "clone", { repo_url: `${host.origin}/large` });
  expect(answer).toMatchObject({ status: 413, body: { detail: "The repository is larger than 32 MiB" } });
});

it("a clone of an address with a space, a control character or a password is refused", async () => {
  const { call } = await open();
  for (const repo_url of [
    "https://a:b@example.com/c",
    "https://example.com/a b",
    "https://example.com/a\u0007b",
  ]) {
    for (const below of ["clone", "init"]) {
      expect([repo_url, (await call("POST", below, { repo_url })).status]).toEqual([repo_url, 400]);
    }
  }
});
