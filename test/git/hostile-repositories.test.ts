import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { startGitServer } from "#test/support/git-server.ts";
import { openGitProject } from "./support/git-project.ts";

const AUTHOR = { name: "Ada", email: "ada@example.test" };

let outside: string;
let project: Awaited<ReturnType<typeof openGitProject>>;
const server = await startGitServer();
afterAll(() => server.close());
beforeEach(async () => {
  outside = mkdtempSync(join(tmpdir(), "outside-"));
  project = await openGitProject();
});
afterEach(async () => {
  rmSync(outside, { recursive: true });
  await project.close();
});

interface Entry {
  mode: "100644" | "100755" | "120000" | "160000" | "40000";
  name: string;
  content: string | Entry[];
}

/** A repository with the tree that these entries make, as git itself would refuse to make it. */
function hostile(name: string, entries: Entry[]): string {
  const url = server.create(name);
  const tree = (list: Entry[]): string => {
    const bytes = list.map(({ mode, name: entry, content }) => {
      const oid =
        typeof content === "string"
          ? server.git(name, ["hash-object", "-w", "--stdin"], content)
          : tree(content);
      return Buffer.concat([Buffer.from(`${mode} ${entry}\0`), Buffer.from(oid, "hex")]);
    });
    const file = join(outside, "tree");
    writeFileSync(file, Buffer.concat(bytes));
    const oid = server.git(name, ["hash-object", "-t", "tree", "-w", "--literally", file]);
    rmSync(file);
    return oid;
  };
  const commit = server.git(name, ["commit-tree", tree(entries), "-m", "hostile"]);
  server.git(name, ["update-ref", "refs/heads/main", commit]);
  return url;
}

const blob = (name: string, text: string) => server.git(name, ["hash-object", "-w", "--stdin"], text);

/** Lets the branch go on with this tree, as `git mktree` reads it. */
function advance(name: string, entries: string): void {
  const tree = server.git(name, ["mktree"], entries);
  const commit = server.git(name, ["commit-tree", tree, "-p", "main", "-m", "second"]);
  server.git(name, ["update-ref", "refs/heads/main", commit]);
}

const file = (name: string, content = "hostile"): Entry => ({ mode: "100644", name, content });
const link = (name: string, target: string): Entry => ({ mode: "120000", name, content: target });
const directory = (name: string, content: Entry[]): Entry => ({ mode: "40000", name, content });

describe("a repository that means harm", () => {
  it("is not cloned with a path that leads out or into .git, and is refused with its name", async () => {
    const trees: [string, Entry[]][] = [
      [".git", [directory(".git", [file("config")])]],
      [".GIT", [directory(".GIT", [file("config")])]],
      [".git with a dot", [directory(".git.", [file("config")])]],
      [".git with an invisible character", [directory(".g\u200Cit", [file("config")])]],
      ["git~1", [directory("git~1", [file("config")])]],
      [".git deeper down", [directory("sub", [directory(".git", [file("config")])])]],
      ["..", [directory("..", [file("escaped")])]],
      ["a name with a slash", [file("../escaped")]],
      ["a name with a backslash that leads out", [file("..\\escaped")]],
    ];
    for (const [index, [name, entries]] of trees.entries()) {
      const clone = project.git("clone", { remote: { url: hostile(`tree-${index}`, entries) } });
      await expect(clone, `path ${name}`).rejects.toMatchObject({
        name: "AppError",
        code: "invalid_input",
        message: expect.stringMatching(/^The repository contains a path that must not be written/u),
      });
      expect([name, readdirSync(project.root)]).toEqual([name, []]);
    }
    const url = hostile("named", [file("back\\slash.txt")]);
    await expect(project.git("clone", { remote: { url } })).rejects.toMatchObject({
      message: 'The repository contains a path that must not be written: "back\\\\slash.txt"',
    });
  });

  it("writes nothing through a link of its own", async () => {
    for (const target of [".git", outside, "../../.."]) {
      const url = hostile(`link-${readdirSync(server.directory).length}`, [
        link("a", target),
        directory("a", [file("config"), directory("hooks", [file("post-checkout")])]),
      ]);
      await project.git("clone", { remote: { url } }).catch(() => undefined);
      expect(readdirSync(outside)).toEqual([]);
      const config = (await project.readFile(".git/config"))?.toString() ?? "";
      expect(config).not.toContain("hostile");
    }
  });

  it("writes nothing through a link when a switch turns it into a directory", async () => {
    const url = hostile("turns", [link("a", outside)]);
    await project.git("clone", { remote: { url } });
    const inside = server.git("turns", ["mktree"], `100644 blob ${blob("turns", "hostile")}\tfile`);
    advance("turns", `040000 tree ${inside}\ta`);
    await project.git("pull", { remote: { url }, remoteName: "origin", author: AUTHOR });
    expect(readdirSync(outside)).toEqual([]);
    expect((await project.readFile("a/file"))?.toString()).toBe("hostile");
    expect((await project.git("status", {})).changes).toEqual([]);
  });
});

describe("a project that means harm", () => {
  it("cannot make git write outside through a link of the working tree", async () => {
    const url = server.create("plain", { "dir/a.txt": "one" });
    await project.git("clone", { remote: { url } });
    server.commit("plain", "main", { "dir/a.txt": "two", "dir/b.txt": "new" }, "second");
    await project.remove("dir", { recursive: true });
    symlinkSync(outside, join(project.root, "dir"));
    await project
      .git("pull", { remote: { url }, remoteName: "origin", author: AUTHOR })
      .catch(() => undefined);
    expect(readdirSync(outside)).toEqual([]);
  });

  it("cannot keep its repository elsewhere", async () => {
    execFileSync("git", ["init", "--quiet", outside]);
    writeFileSync(join(project.root, ".git"), `gitdir: ${outside}/.git`);
    await expect(project.git("log", { limit: 1 })).rejects.toMatchObject({ code: "not_found" });
    rmSync(join(project.root, ".git"));
    symlinkSync(join(outside, ".git"), join(project.root, ".git"));
    await expect(project.git("log", { limit: 1 })).rejects.toMatchObject({ code: "not_found" });
    rmSync(join(project.root, ".git"));
    mkdirSync(join(project.root, ".git"));
    symlinkSync(join(outside, ".git", "HEAD"), join(project.root, ".git", "HEAD"));
    await expect(project.git("log", { limit: 1 })).rejects.toMatchObject({ code: "not_found" });
  });

  it("cannot commit what a link points to", async () => {
    writeFileSync(join(outside, "secret"), "of somebody else");
    await project.git("init", { defaultBranch: "main" });
    symlinkSync(join(outside, "secret"), join(project.root, "link"));
    symlinkSync(outside, join(project.root, "directory"));
    await project.git("commit", { message: "links", author: AUTHOR, paths: null });
    const show = (path: string) =>
      execFileSync("git", ["-C", project.root, "show", `HEAD:${path}`], { encoding: "utf8" });
    expect(show("link")).toBe(join(outside, "secret"));
    await expect(project.git("stage", { paths: ["directory/secret"] })).rejects.toMatchObject({
      name: "AppError",
    });
  });

  it("cannot stage a path outside, or of git's", async () => {
    await project.git("init", { defaultBranch: "main" });
    const invalid = { code: "invalid_input" };
    for (const path of ["../x", "/etc/passwd", ".git/config", "a\u0000b", ".GIT/config", ""]) {
      await expect(project.git("stage", { paths: [path] }), `path ${path}`).rejects.toMatchObject(invalid);
      await expect(project.git("diff", { path }), `path ${path}`).rejects.toMatchObject(invalid);
    }
  });

  it("has no hook of its own run", async () => {
    const url = server.create("hooked", { "a.txt": "a" });
    await project.git("clone", { remote: { url } });
    for (const hook of ["pre-commit", "post-commit", "post-checkout", "pre-push", "post-merge"]) {
      writeFileSync(join(project.root, ".git/hooks", hook), `#!/bin/sh\ntouch ${outside}/ran`, {
        mode: 0o755,
      });
    }
    writeFileSync(join(project.root, "a.txt"), "changed");
    await project.git("commit", { message: "x", author: AUTHOR, paths: null });
    await project.git("push", { remote: { url }, remoteName: "origin", force: false });
    await project.git("createBranch", { name: "side", checkout: true });
    expect(readdirSync(outside)).toEqual([]);
  });
});

it("keeps links and executables, and follows them when they change", async () => {
  const url = hostile("modes", [
    { mode: "100755", name: "run.sh", content: "#!/bin/sh\n" },
    file("target", "text"),
    link("to", "target"),
  ]);
  await project.git("clone", { remote: { url } });
  const status = () => execFileSync("git", ["-C", project.root, "status", "--short"], { encoding: "utf8" });
  expect(status()).toBe("");
  expect(execFileSync(join(project.root, "run.sh")).toString()).toBe("");
  expect(readFileSync(join(project.root, "to"), "utf8")).toBe("text");

  const script = `100644 blob ${blob("modes", "#!/bin/sh\n")}\trun.sh`;
  advance(
    "modes",
    `${script}\n100644 blob ${blob("modes", "text")}\ttarget\n120000 blob ${blob("modes", "run.sh")}\tto`,
  );
  await project.git("pull", { remote: { url }, remoteName: "origin", author: AUTHOR });
  expect(readFileSync(join(project.root, "to"), "utf8")).toBe("#!/bin/sh\n");
  expect(status()).toBe("");
  expect((await project.git("status", {})).changes).toEqual([]);
});

it("puts a file in the place of a directory, and back, and leaves no empty directories", async () => {
  const url = server.create("types", { "a/deep/er.txt": "1", "gone/b.txt": "2", "c.txt": "3" });
  await project.git("clone", { remote: { url } });
  const gone = { "a/deep/er.txt": null, "gone/b.txt": null, "c.txt": null };
  const turned = { ...gone, a: "a file now", "c.txt/d": "a directory now" };
  const second = server.commit("types", "main", turned, "second");
  const pull = () => project.git("pull", { remote: { url }, remoteName: "origin", author: AUTHOR });
  writeFileSync(join(project.root, "c.txt"), "changed here");
  await expect(pull()).rejects.toMatchObject({ code: "conflict" });
  expect(readFileSync(join(project.root, "a/deep/er.txt"), "utf8")).toBe("1");
  writeFileSync(join(project.root, "c.txt"), "3");
  expect(await pull()).toMatchObject({ sha: second });
  expect(readdirSync(project.root).toSorted()).toEqual([".git", "a", "c.txt"]);
  expect((await project.git("status", {})).changes).toEqual([]);
  server.commit("types", "main", { a: null, "a/deep/er.txt": "1" }, "third");
  await pull();
  expect(readFileSync(join(project.root, "a/deep/er.txt"), "utf8")).toBe("1");
});

it("says that files of Git LFS and submodules are left out", async () => {
  const url = server.create("lfs", {
    ".gitattributes": "*.bin filter=lfs\n",
    ".gitmodules": "[submodule]\n",
  });
  expect((await project.git("clone", { remote: { url } })).notes).toHaveLength(2);
});
