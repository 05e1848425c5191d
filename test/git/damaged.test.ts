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

  it.each([
    ["nothing", () => Buffer.alloc(0)],
    ["no compressed data", () => Buffer.from("garbage")],
    ["half of it", (object: Buffer) => object.subarray(0, object.length / 2)],
    ["another byte in it", (object: Buffer) => object.map((byte, at) => (at === 9 ? byte ^ 0xff : byte))],
    ["another object", () => deflateSync("blob 3\0abc")],
    ["no object", () => deflateSync("garbage")],
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
