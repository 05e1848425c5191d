import { chmod, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { serve } from "#local/serve.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { jsonLines, newMachine, type Machine } from "./support/machine.ts";

const service = sharedService();
const Named = z.looseObject({ path: z.string() });
const Line = Named.extend({ action: z.string() });
const BINARY = Buffer.from(Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256));

let token: string;
let machine: Machine;
beforeAll(async () => {
  ({ token } = await service.signUp());
});

let project: string;
let folder: string;
beforeEach(async () => {
  project = (await service.newProject(token)).id;
  const { key } = await service.newKey(token, project);
  machine = await newMachine({ WORKSPACE_URL: service.stack.url, WORKSPACE_API_KEY: key });
  folder = await realpath(await mkdtemp(path.join(tmpdir(), "workspace-folder-")));
});
afterEach(async () => {
  await machine.close();
  await rm(folder, { recursive: true });
});

const at = (name: string) => path.join(folder, name);
const here = (name: string) => readFile(at(name), "utf8");
const files = (...args: string[]) => machine.run(["files", ...args], { folder });
/** What was done, by path. */
async function done(...args: string[]): Promise<{ code: number | null; did: Record<string, string> }> {
  const { code, stdout } = await files(...args, "--json");
  const lines = jsonLines(stdout).map((line) => Line.parse(line));
  return { code, did: Object.fromEntries(lines.map((line) => [line.path, line.action])) };
}

async function write(name: string, content: string | Buffer): Promise<void> {
  const encoded =
    typeof content === "string" ? { content } : { content: content.toString("base64"), encoding: "base64" };
  const json = { file_path: name, ...encoded };
  const { status } = await service.call("POST", `/api/projects/${project}/files/save`, { token, json });
  expect(status).toBe(200);
}
async function there(name: string): Promise<string | number> {
  const url = `/api/projects/${project}/files/raw?path=${encodeURIComponent(name)}`;
  const { status, text } = await service.call("GET", url, { token });
  return status === 200 ? text : status;
}
const listed = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((name) => !name.startsWith(".workspace/"))
    .toSorted();

describe("workspace files", () => {
  it("pulls, pushes what was edited, and has nothing to do then", async () => {
    await write("src/app.ts", "déjà vu\r\n");
    await write("名前/🙂.txt", "");
    await write("logo.png", BINARY);
    expect(await done("pull")).toEqual({
      code: 0,
      did: { "src/app.ts": "created", "名前/🙂.txt": "created", "logo.png": "created" },
    });
    expect(await here("src/app.ts")).toBe("déjà vu\r\n");
    expect((await readFile(at("logo.png"))).equals(BINARY)).toBe(true);

    await writeFile(at("src/app.ts"), "edited\n");
    await writeFile(at("new.bin"), BINARY);
    await chmod(at("src/app.ts"), 0o755);
    const expected = { "src/app.ts": "updated", "new.bin": "created" };
    expect(await done("push", "--dry-run")).toEqual({ code: 0, did: expected });
    expect(await there("src/app.ts")).toBe("déjà vu\r\n");
    expect(await done("push")).toEqual({ code: 0, did: expected });
    expect(await there("src/app.ts")).toBe("edited\n");
    expect(await done("pull")).toEqual({ code: 0, did: {} });

    // Also where its record of the last sync is gone.
    await rm(at(".workspace"), { recursive: true });
    await write("src/app.ts", "from the service\n");
    await write(".gitignore", "out/\n");
    await write("out/large.js", "x");
    expect((await done("pull", "--force")).did).toEqual({ "src/app.ts": "updated", ".gitignore": "created" });
    expect((await stat(at("src/app.ts"))).mode & 0o777).toBe(0o755);
  });

  it("leaves a file that was changed on both sides, until one side is chosen", async () => {
    await write("a.txt", "one");
    await write("b.txt", "one");
    await files("pull");
    await writeFile(at("a.txt"), "mine");
    await writeFile(at("b.txt"), "the same");
    await write("a.txt", "theirs");
    await write("b.txt", "the same");
    expect(await done("pull")).toEqual({ code: 1, did: { "a.txt": "conflict" } });
    const { code, stdout, stderr } = await files("push");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("! a.txt  conflict: changed on both sides");
    expect([await here("a.txt"), await there("a.txt")]).toEqual(["mine", "theirs"]);
    expect(await done("pull", "--force")).toEqual({ code: 0, did: { "a.txt": "updated" } });
    expect(await here("a.txt")).toBe("theirs");

    await writeFile(at("a.txt"), "mine again");
    await write("a.txt", "theirs again");
    expect((await done("push", "--force")).did).toEqual({ "a.txt": "updated" });
    expect(await there("a.txt")).toBe("mine again");
  });

  it("deletes only when told, and never what the other side has changed", async () => {
    for (const name of ["gone-here", "changed-there"]) await write(`d/${name}`, "x");
    await files("pull");
    await rm(at("d/gone-here"));
    await rm(at("d/changed-there"));
    await write("d/changed-there", "y");
    expect((await done("push")).did).toEqual({ "d/gone-here": "kept", "d/changed-there": "kept" });
    expect(await done("push", "--delete")).toEqual({
      code: 1,
      did: { "d/gone-here": "deleted", "d/changed-there": "conflict" },
    });
    expect([await there("d/gone-here"), await there("d/changed-there")]).toEqual([404, "y"]);
  });

  it("syncs a part, prints a file, and lists", async () => {
    await write("a/one", "1");
    await write("b/two", "2");
    expect((await done("pull", "a")).did).toEqual({ "a/one": "created" });
    expect((await files("pull", "../elsewhere")).code).toBe(2);
    await write("b.bin", BINARY);
    const cat = await files("cat", "a/one");
    expect([cat.code, cat.stdout]).toEqual([0, "1"]);
    const binary = JSON.parse((await files("cat", "b.bin", "--json")).stdout);
    expect(binary).toEqual({ path: "b.bin", encoding: "base64", content: BINARY.toString("base64") });
    expect((await files("cat", "none")).code).toBe(5);
    const listing = jsonLines((await files("ls", "--json", "--all")).stdout);
    expect(listing.map((line) => Named.parse(line).path)).toContain("b/two");
  });
});

describe("a hostile service", () => {
  const NAMES = [
    "../outside",
    "/tmp/workspace-hostile",
    "..\\outside",
    ".GIT/config",
    "a\u001B]0;title\u0007b",
  ];

  /** A tree with hostile names, and files that are larger than it says. */
  const answer = (asked: string): string => {
    const entries = [...NAMES, "good", "large"].map((name) => ({
      path: name,
      name,
      is_dir: false,
      size: 4,
      mod_time: 0,
      etag: '"v"',
    }));
    const evil = { path: "../outside", content: "evil", size: 4, etag: '"v"' };
    if (asked.includes("/files/tree"))
      return JSON.stringify({ status: "ready", files: [...entries, { path: 7 }, null] });
    if (asked.includes("/content/batch")) return JSON.stringify({ status: "ready", files: [evil] });
    return asked.includes("large") ? "x".repeat(100_000) : "good";
  };

  it("writes nothing outside the folder, into git, or beyond what it announced", async () => {
    const hostile = await serve(({ url = "" }, response) => {
      const isJson = /\/(?:tree|batch)/u.test(url);
      const type = isJson ? "application/json" : "application/octet-stream";
      response.writeHead(200, { etag: '"v"', "content-type": type }).end(answer(url));
    });
    const environment = { WORKSPACE_URL: hostile.url };
    const args = ["files", "pull", "--json", "--project", "11111111-2222-4333-8444-555555555555"];
    const { code, stdout, stderr } = await machine.run(args, { folder, environment });
    await hostile.close();
    const did = Object.fromEntries(
      jsonLines(stdout).map((line) => [Named.parse(line).path, Line.parse(line).action]),
    );
    expect(did).toEqual({
      ...Object.fromEntries(NAMES.map((name) => [name, "skipped"])),
      good: "created",
      large: "failed",
    });
    expect(code).toBe(1);
    expect(await listed()).toEqual(["good"]);
    expect(stdout + stderr).not.toContain("\u001B");
  });
});
