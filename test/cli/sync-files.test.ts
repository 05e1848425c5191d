import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { atOnce } from "#cli/sync/at-once.ts";
import { IgnoreRules } from "#cli/sync/ignore-rules.ts";
import { LocalFiles, reasonOf } from "#cli/sync/local-files.ts";
import { hashLocal, openLocal, readLocalTree } from "#cli/sync/local-tree.ts";
import { SyncRecord } from "#cli/sync/record.ts";

let outer: string;
let root: string;
beforeEach(async () => {
  outer = await mkdtemp(path.join(tmpdir(), "workspace-sync-"));
  root = path.join(outer, "folder");
  await mkdir(root);
});
afterEach(() => rm(outer, { recursive: true }));

const at = (...names: string[]) => path.join(root, ...names);
async function* content(...pieces: string[]) {
  for (const piece of pieces) yield Buffer.from(piece);
}
async function* brokenOff() {
  yield Buffer.from("half");
  throw new Error("the connection broke");
}
const listed = async () =>
  (await readdir(root, { recursive: true })).filter((name) => !name.startsWith(".workspace"));

const put = async (file: string, text: string, before?: Parameters<LocalFiles["place"]>[2]) => {
  const files = new LocalFiles(root);
  const { temporary } = await files.receive(content(text), 1000);
  return files.place(temporary, file, before);
};

describe("writing into the folder", () => {
  it("makes folders, keeps the mode of a replaced file, and leaves nothing else", async () => {
    await put("a/b/c.sh", "one");
    expect(await readFile(at("a/b/c.sh"), "utf8")).toBe("one");
    await writeFile(at("run.sh"), "old", { mode: 0o755 });
    const { stamp } = await hashLocal(at("run.sh"));
    await put("run.sh", "new", stamp);
    expect((await stat(at("run.sh"))).mode & 0o777).toBe(0o755);
    expect(await readdir(at(".workspace/coming"))).toEqual([]);
  });

  it.each([
    ["a folder on the way is a link", "link/file", "link is a link here"],
    ["the file itself is a link", "link-to-file", "something that is not a file is here"],
    ["a folder is in its place", "folder", "something that is not a file is here"],
    ["a file is in the place of its folder", "file/below", "file is not a folder here"],
    ["a file was made meanwhile", "file", "made here meanwhile"],
  ])("refuses when %s", async (_, file, reason) => {
    await mkdir(path.join(outer, "outside"));
    await writeFile(path.join(outer, "outside/file"), "kept");
    await symlink(path.join(outer, "outside"), at("link"));
    await symlink(path.join(outer, "outside/file"), at("link-to-file"));
    await mkdir(at("folder"));
    await writeFile(at("file"), "kept");
    const failure = await put(file, "foreign").catch((error: unknown) => error);
    expect(reasonOf(failure)).toBe(reason);
    expect(await readFile(path.join(outer, "outside/file"), "utf8")).toBe("kept");
    expect(await readFile(at("file"), "utf8")).toBe("kept");
    expect(await readdir(path.join(outer, "outside"))).toEqual(["file"]);
    expect(await readdir(at(".workspace/coming"))).toEqual([]);
  });

  it("refuses to replace or delete a file that was changed since it was seen", async () => {
    await writeFile(at("file"), "seen");
    const { stamp } = await hashLocal(at("file"));
    await writeFile(at("file"), "edited");
    await expect(put("file", "foreign", stamp)).rejects.toThrow("changed here meanwhile");
    await expect(new LocalFiles(root).delete("file", stamp)).rejects.toThrow("changed here meanwhile");
    expect(await readFile(at("file"), "utf8")).toBe("edited");
  });

  it("takes no more than was announced, and keeps nothing of a content that breaks off", async () => {
    const files = new LocalFiles(root);
    await expect(files.receive(content("12345", "678"), 7)).rejects.toThrow("larger");
    await expect(files.receive(brokenOff(), 100)).rejects.toThrow("the connection broke");
    expect(await readdir(at(".workspace/coming"))).toEqual([]);
    expect(await listed()).toEqual([]);
  });

  it("deletes a file and the folders that are empty then", async () => {
    await put("a/b/c", "x");
    await put("a/other", "x");
    await new LocalFiles(root).delete("a/b/c", (await hashLocal(at("a/b/c"))).stamp);
    expect((await listed()).toSorted()).toEqual(["a", "a/other"]);
  });
});

describe("reading the folder", () => {
  it("follows no link, and skips what is ignored", async () => {
    await mkdir(path.join(outer, "outside"));
    await writeFile(path.join(outer, "outside/secret"), "secret");
    await symlink(path.join(outer, "outside"), at("link"));
    await symlink(path.join(outer, "outside/secret"), at("secret"));
    await mkdir(at("a/node_modules/b"), { recursive: true });
    await mkdir(at(".git"));
    for (const name of ["kept", "a/x.log", "a/y", "a/node_modules/b/z", ".git/config", ".gitignore"]) {
      await writeFile(at(name), name === ".gitignore" ? "*.log\n" : name);
    }
    await writeFile(at("a/.workspaceignore"), "y\n");
    const { files, others } = await readLocalTree(root, new IgnoreRules());
    expect([...files.keys()]).toEqual([".gitignore", "a/.workspaceignore", "kept"]);
    expect([...others]).toEqual(["link", "secret"]);
    await expect(openLocal(at("secret"))).rejects.toMatchObject({ code: "ELOOP" });
    await expect(openLocal(at("a"))).rejects.toThrow("not a file");
  });
});

describe("the record", () => {
  const owner = { service: "https://service.test", projectId: "p" };
  const file = { hash: "h", etag: '"e"', stamp: { size: 1, mtimeMs: 1.5, ctimeMs: 2.5, ino: 3 } };

  it("is read as it was written, and belongs to one project", async () => {
    const record = await SyncRecord.read(root, owner);
    record.set("a/b", file);
    await record.write();
    expect((await SyncRecord.read(root, owner)).get("a/b")).toEqual(file);
    expect([...(await SyncRecord.read(root, { ...owner, projectId: "q" })).paths]).toEqual([]);
    expect([...(await SyncRecord.read(root, { ...owner, service: "https://other" })).paths]).toEqual([]);
    expect((await readdir(at(".workspace"))).toSorted()).toEqual([".gitignore", "files.json"]);
  });

  it.each(["{", "[]", '{"files":{"../a":{"hash":"h","etag":"e"},"b":{"hash":1},"c":null}}'])(
    "counts as none where it is damaged: %s",
    async (text) => {
      await mkdir(at(".workspace"));
      const damaged = text.replace("{", '{"service":"https://service.test","project_id":"p",');
      await writeFile(at(".workspace/files.json"), damaged);
      expect([...(await SyncRecord.read(root, owner)).paths]).toEqual([]);
    },
  );
});

describe("work at once", () => {
  it("has a limit, and ends with the first failure after the work under way", async () => {
    let running = 0;
    let most = 0;
    const done: number[] = [];
    const work = async (item: number) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      if (item === 5) throw new Error("five");
      done.push(item);
    };
    await expect(atOnce(3, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], work)).rejects.toThrow("five");
    expect(most).toBe(3);
    expect(running).toBe(0);
    expect(done.length).toBeLessThan(11);
  });
});
