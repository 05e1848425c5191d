import { describe, expect, it } from "vitest";
import { openTools, type OpenProject } from "./under-test.ts";

const AUTHOR = { name: "Ada", email: "ada@example.test" };

export function gitToolsContract(open: OpenProject): void {
  /** Two commits, and a change that is not committed. */
  async function history() {
    const tools = await openTools(open, { "a.txt": "one\ntwo\nthree\n", "src/b.txt": "b\n" });
    const { runtime, write } = tools;
    const commit = async (message: string) =>
      (await runtime.git("commit", { message, author: AUTHOR, paths: null })).sha;
    await runtime.git("init", { defaultBranch: "main" });
    const first = await commit("first");
    await write("a.txt", "one\n2\nthree\nfour\n");
    const second = await commit("second\n\nwith a body");
    await write("a.txt", "one\n2\nthree\nfour\nfive\n");
    await write("src/new.txt", "new\n");
    return { ...tools, first, second };
  }

  describe("git", () => {
    it("says that there is no repository", async () => {
      const { call } = await openTools(open);
      expect(await call("git_status", {})).toMatchObject({ success: true, branch: null });
      expect(await call("git_log", {})).toMatchObject({ success: false });
      expect(await call("git_blame", { path: "a" })).toMatchObject({ success: false });
    });

    it("shows the state, whole or below a path", async () => {
      const { call, second, runtime } = await history();
      await runtime.git("stage", { paths: ["src/new.txt"] });
      expect(await call("git_status", {})).toMatchObject({
        branch: "main",
        staged_count: 1,
        unstaged_count: 1,
        untracked_count: 0,
        last_commit: { sha: second, author: "Ada <ada@example.test>", message: "second\n\nwith a body" },
        changes: [
          { file_path: "a.txt", status: "M", staged: false },
          { file_path: "src/new.txt", status: "A", staged: true },
        ],
      });
      expect((await call("git_status", { path: "src/" }))["changes"]).toHaveLength(1);
    });

    it("shows differences of the files, of what is staged, and between commits", async () => {
      const { call, runtime, first } = await history();
      const shown = async (args: object) => {
        const { diff, files } = await call("git_diff", args);
        return { diff: String(diff), files };
      };
      const working = await shown({});
      expect(working.files).toEqual([
        { file_path: "a.txt", additions: 1, deletions: 0 },
        { file_path: "src/new.txt", additions: 1, deletions: 0 },
      ]);
      expect(working.diff).toContain("+five\n");
      expect((await shown({ staged: true })).files).toEqual([]);
      await runtime.git("stage", { paths: ["a.txt"] });
      expect((await shown({ staged: true })).files).toEqual([
        { file_path: "a.txt", additions: 1, deletions: 0 },
      ]);
      expect((await shown({ base: "HEAD~1" })).diff).toContain("-two\n+2\n");
      const commits = await shown({ base: first.slice(0, 8), target: "main", path: "a.txt" });
      expect(commits.files).toEqual([{ file_path: "a.txt", additions: 2, deletions: 1 }]);
      expect(commits.diff).not.toContain("five");
      expect((await shown({ path: "src" })).files).toEqual([
        { file_path: "src/new.txt", additions: 1, deletions: 0 },
      ]);
    });

    it("refuses names that are none, and says that others are not there", async () => {
      const { call } = await history();
      expect(await call("git_diff", { base: "--output=x" })).toMatchObject({
        error: "Invalid commit name",
      });
      expect(await call("git_diff", { base: "nowhere" })).toMatchObject({
        error: "There is no commit nowhere",
      });
      expect(await call("git_diff", { base: "HEAD", target: "HEAD", staged: true })).toMatchObject({
        success: false,
      });
    });

    it("lists commits, of one path when it is named", async () => {
      const { call, first, second } = await history();
      expect(await call("git_log", {})).toMatchObject({ commits: [{ sha: second }, { sha: first }] });
      expect((await call("git_log", { max_count: 1 }))["commits"]).toHaveLength(1);
      expect(await call("git_log", { path: "src/b.txt" })).toMatchObject({ commits: [{ sha: first }] });
      expect(await call("git_log", { path: "src/" })).toMatchObject({ commits: [{ sha: first }] });
      expect(await call("git_log", { path: "a.txt", revision: "HEAD^" })).toMatchObject({
        commits: [{ sha: first }],
      });
      expect((await call("git_log", { path: "nowhere" }))["commits"]).toEqual([]);
    });

    it("tells where each line comes from", async () => {
      const { call, first, second } = await history();
      expect(await call("git_blame", { path: "a.txt" })).toMatchObject({
        total_lines: 5,
        truncated: false,
        hunks: [
          { start_line: 1, end_line: 1, sha: first, lines: ["one"] },
          { start_line: 2, end_line: 2, sha: second, lines: ["2"] },
          { start_line: 3, end_line: 3, sha: first, lines: ["three"] },
          { start_line: 4, end_line: 4, sha: second, lines: ["four"] },
          { start_line: 5, end_line: 5, sha: null, lines: ["five"] },
        ],
      });
      expect(await call("git_blame", { path: "a.txt", start_line: 2, end_line: 3 })).toMatchObject({
        hunks: [{ sha: second }, { sha: first }],
      });
      expect(await call("git_blame", { path: "a.txt", revision: "HEAD~1" })).toMatchObject({
        hunks: [{ start_line: 1, end_line: 3, sha: first, lines: ["one", "two", "three"] }],
      });
      expect(await call("git_blame", { path: "a.txt", start_line: 9 })).toMatchObject({ success: false });
      expect(await call("git_blame", { path: "nowhere" })).toMatchObject({ success: false });
    });
  });
}
