import { execFileSync, spawnSync } from "node:child_process";
import { inspect } from "node:util";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { startGitServer } from "#test/support/git-server.ts";
import { openGitProject } from "./support/git-project.ts";

const TOKEN = "ghs_very-secret-0123456789";
const AUTHOR = { name: "Ada", email: "ada@example.test" };

let project: Awaited<ReturnType<typeof openGitProject>>;
const open = await startGitServer();
const closed = await startGitServer({ username: "x-access-token", password: TOKEN });
open.create("public", { "a.txt": "a\n".repeat(5_000), "b.txt": "b" });
closed.create("private", { "a.txt": "secret code" });
afterAll(() => Promise.all([open.close(), closed.close()]));
beforeEach(async () => {
  project = await openGitProject();
});
afterEach(async () => {
  open.setFault(undefined);
  await project.close();
});

const publicRemote = () => ({ url: `${open.url}/public` });
const privateRemote = () => ({
  url: `${closed.url}/private`,
  auth: { username: "x-access-token", password: TOKEN },
});

function filesWith(text: string): string {
  return spawnSync("grep", ["-rlF", text, project.root], { encoding: "utf8" }).stdout;
}

describe("credentials", () => {
  it("open a private repository and are kept nowhere", async () => {
    await project.git("clone", { remote: privateRemote() });
    await project.writeFile("new.txt", Buffer.from("x"));
    await project.git("commit", { message: "mine", author: AUTHOR, paths: null });
    await project.git("push", { remote: privateRemote(), remoteName: "origin", force: false });
    await project.git("pull", { remote: privateRemote(), remoteName: "origin", author: AUTHOR });
    expect(closed.log("private", "main")).toEqual(["mine", "first"]);
    expect(filesWith(TOKEN)).toBe("");
    expect(filesWith(Buffer.from(`x-access-token:${TOKEN}`).toString("base64"))).toBe("");
  });

  it("in an address are used and not kept either", async () => {
    const url = `${closed.url.replace("//", `//x-access-token:${TOKEN}@`)}/private`;
    await project.git("clone", { remote: { url } });
    expect(await project.git("remotes", {})).toEqual([{ name: "origin", url: `${closed.url}/private` }]);
    expect(filesWith(TOKEN)).toBe("");
  });

  it.each([
    ["wrong ones", { username: "x-access-token", password: "wrong-token" }, /refused the credentials/u],
    ["none", undefined, /not public: connect your account/u],
  ])("are named as the reason when there are %s", async (_, auth, sentence) => {
    const remote = { url: `${closed.url}/private`, ...(auth && { auth }) };
    const failure = await project.git("clone", { remote }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "unauthenticated", message: expect.stringMatching(sentence) });
    expect(inspect(failure, { depth: null })).not.toContain("wrong-token");
  });

  it("do not follow a redirect to another host", async () => {
    const location = `${closed.url}/private/info/refs?service=git-upload-pack`;
    open.setFault({ kind: "status", status: 302, headers: { location } });
    const before = closed.requests.length;
    const remote = { ...privateRemote(), url: `${open.url}/moved` };
    await expect(project.git("clone", { remote })).rejects.toMatchObject({ code: "unauthenticated" });
    expect(closed.requests.slice(before).map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  it("go to no other address than the one given, whatever the repository's configuration says", async () => {
    await project.git("clone", { remote: publicRemote() });
    const configure = (key: string, value: string) =>
      execFileSync("git", ["-C", project.root, "config", key, value]);
    configure("http.corsProxy", `${closed.url}/proxy?`);
    configure("remote.origin.url", `${closed.url}/elsewhere`);
    configure("remote.origin.pushurl", `${closed.url}/elsewhere`);
    configure("url.http://127.0.0.1:1/.insteadOf", open.url);
    const before = closed.requests.length;
    const remote = { ...publicRemote(), auth: { username: "me", password: TOKEN } };
    await project.git("pull", { remote, remoteName: "origin", author: AUTHOR });
    await project.git("push", { remote, remoteName: "origin", force: false });
    expect(closed.requests).toHaveLength(before);
  });
});

describe("a git host that fails", () => {
  it.each([
    ["an error of its own", { kind: "status", status: 502 }, "unavailable"],
    ["too many requests", { kind: "status", status: 429 }, "rate_limited"],
    ["nothing at the address", { kind: "status", status: 404 }, "not_found"],
    ["a redirect to a page", { kind: "status", status: 301, headers: { location: "/login" } }, "not_found"],
    ["a redirect to itself", { kind: "status", status: 302, headers: { location: "" } }, "unavailable"],
    ["a web page", { kind: "garbage" }, "unavailable"],
    ["a first answer that is cut", { kind: "cut", after: 90 }, "unavailable"],
    ["a pack that ends early", { kind: "end", after: 300, only: "POST" }, "unavailable"],
    ["an empty pack", { kind: "end", after: 0, only: "POST" }, "unavailable"],
  ] as const)("is said to have failed: %s", async (_, fault, code) => {
    await project.git("init", { defaultBranch: "kept" });
    open.setFault(fault);
    const clone = project.git("clone", { remote: publicRemote() });
    await expect(clone).rejects.toMatchObject({ name: "AppError", code });
    expect((await project.git("status", {})).branch).toBe("kept");
  });

  it("is not waited for longer than the caller likes", async () => {
    open.setFault({ kind: "silence" });
    const stop = new AbortController();
    const probe = project.git("probe", { remote: publicRemote() }, { signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    await expect(probe).rejects.toMatchObject({ code: "unavailable" });
  });

  it("leaves a repository that can be used, and pulled again", async () => {
    await project.git("clone", { remote: publicRemote() });
    open.commit("public", "main", { "c.txt": "more" }, "more");
    open.setFault({ kind: "end", after: 100, only: "POST" });
    const pull = () => project.git("pull", { remote: publicRemote(), remoteName: "origin", author: AUTHOR });
    await expect(pull()).rejects.toMatchObject({ code: "unavailable" });
    expect((await project.git("status", {})).changes).toEqual([]);
    open.setFault(undefined);
    expect(await pull()).toMatchObject({ conflicts: [] });
    expect(String(await project.readFile("c.txt"))).toBe("more");
  });

  it("cannot send more than is taken", async () => {
    const small = await openGitProject({ maxBytes: 1_000 });
    const big = open.create("big", {
      "noise.txt": Array.from({ length: 2_000 }, () => Math.random()).join("\n"),
    });
    await expect(small.git("clone", { remote: { url: big } })).rejects.toMatchObject({ code: "too_large" });
    await small.close();
  });

  it("says why it refuses a push", async () => {
    const url = open.create("protected", { "a.txt": "a" });
    await open.hook("protected", "pre-receive", "echo no >&2; exit 1");
    await project.git("clone", { remote: { url } });
    await project.writeFile("a.txt", Buffer.from("changed"));
    await project.git("commit", { message: "mine", author: AUTHOR, paths: null });
    await expect(
      project.git("push", { remote: { url }, remoteName: "origin", force: true }),
    ).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("pre-receive hook declined"),
    });
  });
});

it("takes for no remote what is no address of http", async () => {
  for (const url of [
    "file:///etc",
    "git@host:x",
    "ext::sh -c id",
    "https://h/x?y=1",
    "http://%zz@h/x",
    "-u",
  ]) {
    const probe = project.git("probe", { remote: { url } });
    await expect(probe, `remote ${url}`).rejects.toMatchObject({ code: "invalid_input" });
  }
});
