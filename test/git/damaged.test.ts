import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openGitProject } from "./support/git-project.ts";

const AUTHOR = { name: "Ada", email: "ada@example.test" };

let project: Awaited<ReturnType<typeof openGitProject>>;
beforeEach(async () => {
  project = await openGitProject();
  await project.git("init", { defaultBranch: "main" });
  await project.writeFile("a.txt", Buffer.from("a"));
  await project.git("commit", { message: "first", author: AUTHOR, paths: null });
});
afterEach(() => project.close());

/** How reading and writing end: `done`, or the code of the failure and its sentence. */
async function outcomes(): Promise<string[]> {
  const attempts = [
    () => project.git("status", {}),
    () => project.git("log", { limit: 10 }),
    () => project.git("branches", {}),
    () => project.git("diff", {}),
    () => project.git("remotes", {}),
    () => project.git("commit", { message: "second", author: AUTHOR, paths: null }),
    () => project.git("createBranch", { name: "side", checkout: true }),
  ];
  const ended: string[] = [];
  for (const attempt of attempts) {
    ended.push(
      await attempt().then(
        () => "done",
        (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
      ),
    );
  }
  return ended;
}

describe("a damaged repository", () => {
  it.each([
    ["HEAD", "no reference"],
    ["HEAD", ""],
    ["HEAD", "ref: ../../etc/passwd\n"],
    ["HEAD", "0".repeat(40)],
    ["index", "DIRCgarbage"],
    ["index", "garbage"],
    ["refs/heads/main", "garbage"],
    ["refs/heads/main", "0".repeat(40)],
    ["config", "[core\n\0garbage"],
    ["packed-refs", "\0garbage"],
  ])("is never our own failure: %s with %j", async (file, content) => {
    await writeFile(join(project.root, ".git", file), content);
    for (const outcome of await outcomes()) expect(outcome).not.toMatch(/^(internal|unavailable)/u);
  });

  it.each([
    ["HEAD", "no reference"],
    ["index", "garbage"],
  ])("is called damaged: %s with %j", async (file, content) => {
    await writeFile(join(project.root, ".git", file), content);
    expect(await outcomes()).toContainEqual(
      "conflict: The repository is damaged: clone it again, or remove `.git` in a terminal and start again",
    );
  });
});
