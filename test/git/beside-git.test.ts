import { spawn } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { startGitServer } from "#test/support/git-server.ts";
import { openGitProject } from "./support/git-project.ts";

const AUTHOR = { name: "Ada", email: "ada@example.test" };

let project: Awaited<ReturnType<typeof openGitProject>>;
const server = await startGitServer();
afterAll(() => server.close());
beforeEach(async () => {
  project = await openGitProject();
});
afterEach(() => project.close());

/** Run git itself in the project, as its owner does in a shell, and answer all it says. */
async function git(...args: string[]): Promise<string> {
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.test"];
  const child = spawn("git", ["-C", project.root, ...identity, ...args]);
  const said = await Promise.all([text(child.stdout), text(child.stderr)]);
  return said.join("");
}

it("leaves a repository that git itself finds in order", async () => {
  const url = server.create("plain", { "a.txt": "a\n", "dir/b.txt": "b\n" });
  await project.git("clone", { remote: { url } });
  expect(await git("status", "--short", "--branch")).toBe("## main...origin/main\n");
  writeFileSync(join(project.root, "new file.txt"), "new\n");
  chmodSync(join(project.root, "a.txt"), 0o755);
  await project.git("commit", { message: "second", author: AUTHOR, paths: null });
  expect(await git("fsck", "--strict")).toBe("");
  expect(await git("status", "--short", "--branch")).toContain("## main...origin/main [ahead 1]\n");
  expect(await git("log", "--format=%s by %an <%ae>", "-1")).toBe("second by Ada <ada@example.test>\n");
  expect(await git("push", "--quiet", "origin", "main")).toBe("");
  expect(server.log("plain", "main")).toEqual(["second", "first"]);
});

it("reads what git itself has packed", async () => {
  const url = server.create("packed", { "a.txt": "a\n" });
  for (let count = 0; count < 5; count += 1) {
    server.commit("packed", "main", { "a.txt": `${"long line\n".repeat(200)}${count}\n` }, `change ${count}`);
  }
  server.git("packed", ["gc", "--quiet", "--aggressive"]);
  await project.git("clone", { remote: { url } });
  await git("fetch", "--quiet", "--unshallow");
  await git("gc", "--quiet");
  await git("pack-refs", "--all");
  const { commits } = await project.git("log", { limit: 10 });
  expect(commits.map(({ message }) => message.trim())).toEqual([
    ...[4, 3, 2, 1, 0].map((count) => `change ${count}`),
    "first",
  ]);
  expect(await project.git("status", {})).toMatchObject({ branch: "main", ahead: 0, behind: 0, changes: [] });
});

it("says that files have conflicts, and commits none of them", async () => {
  const url = server.create("conflict", { "a.txt": "a\n", "b.txt": "b\n" });
  await project.git("clone", { remote: { url } });
  await git("checkout", "--quiet", "-b", "side");
  writeFileSync(join(project.root, "a.txt"), "side\n");
  await git("commit", "--quiet", "-am", "side");
  await git("checkout", "--quiet", "main");
  writeFileSync(join(project.root, "a.txt"), "main\n");
  await git("commit", "--quiet", "-am", "main");
  await git("merge", "side");

  const status = await project.git("status", {});
  expect(status).toMatchObject({
    hasConflicts: true,
    changes: [{ path: "a.txt", status: "U", staged: false }],
  });
  const commit = project.git("commit", { message: "x", author: AUTHOR, paths: [] });
  await expect(commit).rejects.toMatchObject({ code: "conflict", message: "Files have conflicts: a.txt" });
  const pull = project.git("pull", { remote: { url }, remoteName: "origin", author: AUTHOR });
  await expect(pull).rejects.toMatchObject({ code: "conflict" });
});
