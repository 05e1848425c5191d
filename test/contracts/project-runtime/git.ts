import { beforeEach, describe, expect, it } from "vitest";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { bytesOf, textAt } from "./bytes.ts";

type Runtime = Pick<ProjectRuntime, "git" | "readFile" | "writeFile" | "remove" | "stat">;

const AUTHOR = { name: "Ada", email: "ada@example.test" };

/**
 * Git over a project's files. `newRemote` makes an empty repository on a real git server; what another person does to it
 * comes from a second project.
 */
export function gitContract(
  open: () => Promise<{ runtime: Runtime }>,
  newRemote: () => Promise<string>,
): void {
  describe("git", () => {
    let runtime: Runtime;
    let url: string;
    beforeEach(async () => {
      [{ runtime }, url] = await Promise.all([open(), newRemote()]);
    });

    const textOf = (path: string, from = runtime) => textAt(from, path);
    const write = (path: string, text: string, to = runtime) => to.writeFile(path, bytesOf(text));
    const commitAll = async (message: string, from = runtime) =>
      (await from.git("commit", { message, author: AUTHOR, paths: null })).sha;
    const push = (from = runtime, force = false) =>
      from.git("push", { remote: { url }, remoteName: "origin", force });
    const pull = (to = runtime) => to.git("pull", { remote: { url }, remoteName: "origin", author: AUTHOR });
    const changes = async () =>
      (await runtime.git("status", {})).changes.map(
        ({ path, status, staged }) => `${staged ? status : ` ${status}`} ${path}`,
      );

    /** The remote gets a first commit from this project. */
    async function publish(files: Record<string, string>): Promise<string> {
      await runtime.git("init", { defaultBranch: "main", remoteUrl: url });
      for (const [path, text] of Object.entries(files)) await write(path, text);
      const sha = await commitAll("first");
      await push();
      return sha;
    }

    async function colleague(): Promise<Runtime> {
      const other = (await open()).runtime;
      await other.git("clone", { remote: { url } });
      return other;
    }

    /** Another person's project, which has pushed a change of a file. */
    async function withTheirs(path: string, content = bytesOf("theirs\n")): Promise<Runtime> {
      const other = await colleague();
      await other.writeFile(path, content);
      await commitAll("theirs", other);
      await push(other);
      return other;
    }

    it("is nothing before there is a repository", async () => {
      expect(await runtime.git("status", {})).toMatchObject({ branch: null, changes: [], lastCommit: null });
      await expect(runtime.git("log", { limit: 5 })).rejects.toMatchObject({ code: "not_found" });
      await expect(push()).rejects.toMatchObject({ code: "not_found" });
    });

    it("goes past files whose names it cannot keep", async () => {
      await publish({ "a.txt": "a" });
      for (const path of ["C\\:", "back\\slash", "sub/also\\here", "D:/inside", "sub/E:/inside"])
        await write(path, "odd");
      expect(await changes()).toEqual([" ?? sub/E:/inside"]);
      await commitAll("the rest");
      expect(await changes()).toEqual([]);
      expect(await textOf("back\\slash")).toBe("odd");
    });

    it("brings a project's files to a remote, and from there to another project", async () => {
      const sha = await publish({ "README.md": "hello\n", "src/deep/app.ts": "export {};\n" });
      const other = (await open()).runtime;
      await write("old.txt", "goes away", other);
      expect(await other.git("clone", { remote: { url } })).toMatchObject({ branch: "main", commitSha: sha });
      expect(await textOf("src/deep/app.ts", other)).toBe("export {};\n");
      expect(await other.stat("old.txt")).toBeUndefined();
      expect(await other.git("status", {})).toMatchObject({
        branch: "main",
        remoteBranch: "origin/main",
        ahead: 0,
        behind: 0,
        changes: [],
        lastCommit: { sha, message: "first", author: AUTHOR },
      });
      expect(await other.git("remotes", {})).toEqual([{ name: "origin", url }]);
    });

    it("clones an empty repository, whose first push makes the branch", async () => {
      expect(await runtime.git("clone", { remote: { url } })).toMatchObject({
        branch: "main",
        commitSha: null,
      });
      await write("a.txt", "a");
      const other = await colleague();
      const sha = await commitAll("first");
      expect(await push()).toEqual({ branch: "main", sha });
      expect(await pull(other)).toEqual({ branch: "main", sha, conflicts: [] });
      expect(await textOf("a.txt", other)).toBe("a");
      expect(await runtime.git("probe", { remote: { url } })).toEqual({
        defaultBranch: "main",
        branches: [{ name: "main", sha }],
      });
    });

    it("leaves files and repository as they were when a clone fails", async () => {
      const sha = await publish({ "a.txt": "a" });
      await write("b.txt", "not committed");
      await expect(runtime.git("clone", { remote: { url: `${url}-missing` } })).rejects.toMatchObject({
        code: "not_found",
      });
      await expect(runtime.git("clone", { remote: { url }, branch: "none" })).rejects.toMatchObject({
        code: "not_found",
      });
      expect(await textOf("b.txt")).toBe("not committed");
      expect(await runtime.git("status", {})).toMatchObject({ lastCommit: { sha } });
    });

    it("says what changed, stages and commits it, and shows the difference", async () => {
      await publish({ "kept.txt": "1\n2\n3\n", "gone.txt": "x\n", ".gitignore": "*.log\n" });
      await write("kept.txt", "1\ntwo\n3\n");
      await write("new/file.txt", "fresh\n");
      await write("debug.log", "ignored");
      await runtime.remove("gone.txt", { recursive: false });
      expect(await changes()).toEqual([" D gone.txt", " M kept.txt", " ?? new/file.txt"]);

      const { diff, files } = await runtime.git("diff", { path: "kept.txt" });
      expect(diff).toContain("--- a/kept.txt\n+++ b/kept.txt\n");
      expect(diff).toContain("\n-2\n+two\n");
      expect(files).toEqual([{ path: "kept.txt", additions: 1, deletions: 1 }]);

      expect(await runtime.git("stage", { paths: ["kept.txt", "gone.txt"] })).toEqual({ staged: 2 });
      expect(await changes()).toEqual(["D gone.txt", "M kept.txt", " ?? new/file.txt"]);
      await runtime.git("commit", { message: "second", author: AUTHOR, paths: [] });
      expect(await changes()).toEqual([" ?? new/file.txt"]);
      await commitAll("third");
      await expect(commitAll("nothing")).rejects.toMatchObject({ code: "conflict" });
      const { commits } = await runtime.git("log", { limit: 2 });
      expect(commits.map(({ message }) => message)).toEqual(["third", "second"]);
      expect(await runtime.git("status", {})).toMatchObject({ ahead: 2, behind: 0 });
    });

    it("merges what another person pushed, and pushes only a history that contains it", async () => {
      await publish({ "a.txt": "a\n", "b.txt": "b\n" });
      const other = await withTheirs("b.txt");

      await write("a.txt", "ours\n");
      await commitAll("ours");
      await expect(push()).rejects.toMatchObject({ code: "conflict" });
      const merged = await pull();
      expect(merged.conflicts).toEqual([]);
      expect([await textOf("a.txt"), await textOf("b.txt")]).toEqual(["ours\n", "theirs\n"]);
      expect(await runtime.git("status", {})).toMatchObject({ changes: [], ahead: 2, behind: 0 });
      await push();

      expect(await pull(other)).toMatchObject({ sha: merged.sha, conflicts: [] });
      expect(await textOf("a.txt", other)).toBe("ours\n");
    });

    it("lists the conflicts of a merge and leaves the files as they were", async () => {
      await publish({ "a.txt": "a\n", "b.txt": "b\n" });
      await withTheirs("a.txt");
      await write("a.txt", "ours\n");
      const sha = await commitAll("ours");

      expect(await pull()).toEqual({ branch: "main", sha, conflicts: ["a.txt"] });
      expect(await textOf("a.txt")).toBe("ours\n");
      expect(await runtime.git("status", {})).toMatchObject({
        changes: [],
        ahead: 1,
        behind: 1,
        lastCommit: { sha },
      });
      await push(runtime, true);
      expect((await runtime.git("status", {})).behind).toBe(0);
    });

    it("does not merge what is no text", async () => {
      await runtime.writeFile("data.bin", binary(1, 1));
      await publish({ "a.txt": "a\n" });
      await withTheirs("data.bin", binary(1, 2));
      await runtime.writeFile("data.bin", binary(2, 1));
      await commitAll("ours");
      expect((await pull()).conflicts).toEqual(["data.bin"]);
      expect(await runtime.readFile("data.bin")).toHaveLength(300);
    });

    it("does not overwrite uncommitted changes by a pull or a switch", async () => {
      await publish({ "a.txt": "a\n" });
      await withTheirs("a.txt");
      await write("a.txt", "not committed\n");
      await expect(pull()).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringContaining("a.txt"),
      });
      expect(await textOf("a.txt")).toBe("not committed\n");

      await write("a.txt", "a\n");
      await runtime.git("createBranch", { name: "side", checkout: true });
      await write("a.txt", "side\n");
      await commitAll("on the side");
      await write("a.txt", "not committed\n");
      await expect(runtime.git("switchBranch", { name: "main" })).rejects.toMatchObject({ code: "conflict" });
      expect(await textOf("a.txt")).toBe("not committed\n");
    });

    it("has branches of its own", async () => {
      await publish({ "a.txt": "a\n" });
      expect(await runtime.git("createBranch", { name: "feature/x", checkout: true })).toEqual({
        checkedOut: true,
      });
      await write("only-here.txt", "x");
      await commitAll("feature");
      await expect(runtime.git("createBranch", { name: "main", checkout: false })).rejects.toMatchObject({
        code: "conflict",
      });
      expect(await runtime.git("switchBranch", { name: "main" })).toEqual({ branch: "main" });
      expect(await runtime.stat("only-here.txt")).toBeUndefined();
      const { current, branches } = await runtime.git("branches", {});
      expect(current).toBe("main");
      expect(branches.map(({ name, remote }) => [name, remote])).toEqual([
        ["feature/x", null],
        ["main", "origin/main"],
      ]);
      await expect(runtime.git("switchBranch", { name: "none" })).rejects.toMatchObject({
        code: "not_found",
      });
    });

    it("gets a branch that only the remote has", async () => {
      await publish({ "a.txt": "a\n" });
      const other = await colleague();
      await other.git("createBranch", { name: "side", checkout: true });
      await write("side.txt", "side\n", other);
      const sha = await commitAll("side", other);
      await push(other);

      const third = await colleague();
      for (const to of [runtime, third]) {
        await expect(to.git("switchBranch", { name: "side" })).rejects.toMatchObject({ code: "not_found" });
        const remote = { remote: { url }, remoteName: "origin" };
        expect(await to.git("fetch", { ...remote, branch: "side" })).toEqual({ sha });
        expect(await to.git("switchBranch", { name: "side" })).toEqual({ branch: "side" });
        expect(await textOf("side.txt", to)).toBe("side\n");
        expect(await to.git("status", {})).toMatchObject({
          remoteBranch: "origin/side",
          changes: [],
          ahead: 0,
          behind: 0,
        });
        await expect(to.git("fetch", { ...remote, branch: "none" })).rejects.toMatchObject({
          code: "not_found",
        });
      }
      // One has the whole history, and the other, a shallow clone, the last commit.
      expect((await runtime.git("log", { limit: 5 })).commits).toHaveLength(2);
      expect((await third.git("log", { limit: 5 })).commits).toHaveLength(1);
    });

    it("takes for no branch what git would take for something else", async () => {
      await runtime.git("init", { defaultBranch: "main" });
      for (const name of ["--output=x", "../escape", "a..b", "a b", "a.lock", "a\u0000b", "@{-1}", "HEAD"]) {
        const created = runtime.git("createBranch", { name, checkout: true });
        await expect(created).rejects.toMatchObject({ code: "invalid_input" });
      }
    });
  });
}

/** Clones of executors of which only the last counts. */
export function cloneTermContract(
  open: () => Promise<{ runtime: Runtime; restart?: () => Promise<void> }>,
  newRemote: () => Promise<string>,
  { outlivesRestart }: { outlivesRestart: boolean },
): void {
  it("refuses the clone of an executor after a later one's, and leaves the files", async () => {
    const [{ runtime, restart }, url] = await Promise.all([open(), newRemote()]);
    const clone = (term?: number) =>
      runtime.git("clone", { remote: { url }, ...(term !== undefined && { term }) });
    await clone(2);
    await runtime.writeFile("mine.txt", bytesOf("mine"));
    await expect(clone(1)).rejects.toMatchObject({ code: "conflict" });
    if (outlivesRestart) await restart?.();
    await expect(clone(1)).rejects.toMatchObject({ code: "conflict" });
    expect(await runtime.readFile("mine.txt")).toEqual(bytesOf("mine"));
    await clone(3);
    expect(await runtime.stat("mine.txt")).toBeUndefined();
  });
}

/** Lines of zeros, with these bytes at the ends. */
function binary(first: number, last: number): Uint8Array {
  const lines = Uint8Array.from({ length: 298 }, (_, at) => (at % 20 === 0 ? 10 : 0));
  return Uint8Array.from([first, ...lines, last]);
}
