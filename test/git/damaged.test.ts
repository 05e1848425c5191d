import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
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
    ["HEAD", "no reference", true],
    ["HEAD", "ref: ../../etc/passwd\n", false],
    ["HEAD", "0".repeat(40), false],
    ["index", "garbage", true],
    ["refs/heads/main", "garbage", false],
    ["config", "[core\n\0garbage", false],
    ["packed-refs", "\0garbage", false],
  ])("is never our own failure: %s with %j", async (file, content, isDamaged) => {
    await writeFile(join(project.root, ".git", file), content);
    const ended = await outcomes();
    for (const outcome of ended) expect(outcome).not.toMatch(/^(internal|unavailable)/u);
    const sentence =
      "conflict: The repository is damaged: clone it again, or remove `.git` in a terminal and start again";
    expect(ended.includes(sentence) || !isDamaged).toBe(true);
  });

  it.each([
    ["nothing", () => Buffer.alloc(0)],
    ["half of it", (object: Buffer) => object.subarray(0, object.length / 2)],
    ["another byte in it", (object: Buffer) => object.map((byte, at) => (at === 9 ? byte ^ 0xff : byte))],
    ["another object", () => deflateSync("blob 3\0abc")],
  ])("is called damaged where every object is %s", async (_, damage) => {
    const objects = join(project.root, ".git", "objects");
    for (const name of await readdir(objects, { recursive: true })) {
      if (!/^[0-9a-f]{2}\/[0-9a-f]{38}$/u.test(name)) continue;
      const path = join(objects, name);
      const object = await readFile(path);
      await rm(path);
      await writeFile(path, damage(object));
    }
    const ended = await outcomes();
    for (const outcome of ended) expect(outcome).not.toMatch(/^(internal|unavailable)/u);
    expect(ended).toContainEqual(expect.stringMatching(/^conflict: The repository is damaged/u));
  });
});
