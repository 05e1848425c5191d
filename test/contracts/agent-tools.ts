import { describe, expect, it } from "vitest";
import { runTool } from "#src/agent/tools/run-tool.ts";
import type { ToolResult } from "#src/agent/tools/tool.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { toolCall, toolContext } from "#test/support/tool-context.ts";
import { HANGS_MS } from "#test/support/hangs.ts";

type OpenProject = () => Promise<{ runtime: ProjectRuntime }>;

/** A project with files, and its tools. */
async function openTools(open: OpenProject, files: Record<string, string | Uint8Array> = {}) {
  const { runtime } = await open();
  const write = async (path: string, content: string | Uint8Array) => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await runtime.writeFile(path, bytes);
  };
  for (const [path, content] of Object.entries(files)) await write(path, content);
  return {
    runtime,
    write,
    shell: (command: string) => runtime.exec(command, { timeoutMs: HANGS_MS }),
    call: async (name: string, args: unknown): Promise<ToolResult> =>
      (await runTool(toolCall(name, args), toolContext({ runtime }))).result,
    text: async (path: string) => new TextDecoder().decode(await runtime.readFile(path)),
  };
}

const SITE = {
  ".gitignore": "dist/\n*.log\n!kept.log\n/only-here\n",
  "README.md": "# Garden\nSow in spring.\n",
  "src/app.ts": "export const beds = 3;\nconst spring = true;\n",
  "src/deep/plan.ts": "// spring plan\n",
  "src/deep/.gitignore": "made-*\n",
  "src/deep/made-today.ts": "spring\n",
  "src/only-here": "spring\n",
  "only-here": "spring\n",
  "dist/app.js": "spring\n",
  "debug.log": "spring\n",
  "kept.log": "spring\n",
  "node_modules/left/index.js": "spring\n",
  ".github/ci.yml": "name: spring\n",
  ".env": "SPRING=1 spring\n",
  "picture.bin": Uint8Array.of(115, 112, 114, 105, 110, 103, 0, 1),
};

const AUTHOR = { name: "Ada", email: "ada@example.test" };
/** Files that links lead to. */
const LINKED = { "deploy.sh": "echo deploy\n", "src/memory.md": "# Memory\n\n## deploy\n\nno\n" };

/** The agent's tools over a project's real files, on every runtime. Each test gets a project of its own. */
export function agentToolsContract(name: string, open: OpenProject): void {
  describe(`the agent's tools over ${name}`, () => {
    it("search what people mean: no ignored, hidden, generated or binary files", async () => {
      const { call } = await openTools(open, SITE);
      expect(await call("grep", { pattern: "spring" })).toMatchObject({
        files: ["README.md", "kept.log", "src/app.ts", "src/deep/plan.ts", "src/only-here"],
        truncated: false,
        details: { skipped_binary: 1 },
      });
    });

    it("show lines with their numbers, and others around them", async () => {
      const { call } = await openTools(open, { "a.txt": "one\ntwo\nthree\nfour\nfive\n", "b.txt": "two\n" });
      const lines = { pattern: "^t(wo|hree)$", output_mode: "content", "-A": 1, "-B": 1 };
      expect((await call("grep", lines))["matches"]).toEqual([
        { file_path: "a.txt", lines: ["1-one", "2:two", "3:three", "4-four"] },
        { file_path: "b.txt", lines: ["1:two"] },
      ]);
    });

    it.each([
      [{ path: "node_modules/left" }, ["node_modules/left/index.js"]],
      [{ path: "dist" }, ["dist/app.js"]],
      [{ path: ".env" }, [".env"]],
      [{ path: "src/deep" }, ["src/deep/plan.ts"]],
      [{ glob: ".github/**" }, [".github/ci.yml"]],
      [{ glob: "!*.md", type: "ts" }, ["src/app.ts", "src/deep/plan.ts"]],
    ])("search what is named, also where it is ignored or hidden: %j", async (where, files) => {
      const { call } = await openTools(open, SITE);
      expect((await call("grep", { pattern: "spring", ...where }))["files"]).toEqual(files);
    });

    it("follow no link, and leave the project through none", async () => {
      const { call, shell } = await openTools(open, { "src/a.txt": "root:x:0 here\n" });
      await shell("ln -s /etc/passwd passwd; ln -s /etc etc; ln -s src/a.txt inside; ln -s src dir");
      expect(await call("grep", { pattern: "root:x:0" })).toMatchObject({ files: ["src/a.txt"] });
      expect(await call("grep", { pattern: "root:x:0", path: "etc" })).toMatchObject({ success: false });
      expect(await call("read_many_files", { include: ["passwd", "**/*"] })).toMatchObject({
        files: [{ path: "src/a.txt" }],
        skipped: [{ path: "passwd", reason: "not a file" }],
      });
    });

    it.each<[object, string[]]>([
      [{ pattern: "*.ts" }, ["src/app.ts", "src/deep/plan.ts"]],
      [{ pattern: "**/*.{yml,md}", include_hidden: true }, [".github/ci.yml", "README.md"]],
      [{ pattern: "deep/*", path: "src" }, ["src/deep/plan.ts"]],
      [{ pattern: "*", path: "src", recursive: false }, ["src/app.ts", "src/only-here"]],
    ])("find files by name at any depth: %j", async (wish, matches) => {
      const { call } = await openTools(open, SITE);
      expect((await call("glob", { ...wish, sort: "name" }))["matches"]).toEqual(matches);
    });

    it("list a directory and the levels below it, in pages", async () => {
      const { call } = await openTools(open, SITE);
      const { entries, ...whole } = await call("list_dir", { dir_path: ".", limit: 500 });
      expect(whole).toMatchObject({ total: 12, has_more: false });
      expect(entries).toMatchObject([
        { path: "README.md", type: "file", size: 24 },
        { path: "debug.log" },
        { path: "dist", type: "directory" },
        ...Array.from({ length: 9 }, () => ({})),
      ]);
      expect(await call("list_dir", { dir_path: "src", depth: 1, offset: 2, limit: 1 })).toMatchObject({
        entries: [{ path: "src/deep" }],
        total: 3,
        has_more: true,
        suggestion: "Read on with offset 3.",
      });
      expect((await call("list_dir", { dir_path: ".", depth: 1, include_hidden: true }))["total"]).toBe(11);
    });

    it.each([
      ["/tmp .workspace", ".workspace"],
      ["../deploy.sh .workspace/memory.md", ".workspace/memory.md"],
      ["../missing .workspace/memory.md", ".workspace/memory.md"],
    ])("neither read nor write the memory through a link: ln -s %s", async (link, named) => {
      const { call, shell, text } = await openTools(open, LINKED);
      await shell(`${named.includes("/") ? "mkdir .workspace; " : ""}ln -s ${link}`);
      const refused = { success: false, error: expect.stringContaining(`${named} is a symbolic link`) };
      const file_path = ".workspace/memory.md";
      for (const [tool, args] of [
        ["memory_write", { section: "a", body: "b" }],
        ["memory_read", {}],
        ["write_file", { file_path, content: "x" }],
        ["patch_file", { file_path, old_str: "deploy", new_str: "x" }],
      ] as const) {
        expect([tool, await call(tool, args)]).toMatchObject([tool, refused]);
      }
      expect(await text("deploy.sh")).toBe(LINKED["deploy.sh"]);
      expect((await shell("ls missing ../missing")).exitCode).not.toBe(0);
    });

    it.each([
      ["src .workspace", ".workspace"],
      ["../missing .workspace/plans", ".workspace/plans"],
      ["../../deploy.sh .workspace/plans/a.md", ".workspace/plans/a.md"],
    ])("keep no plan behind a link: ln -s %s", async (link, named) => {
      const { call, shell, text } = await openTools(open, LINKED);
      const parent = named.split("/").slice(0, -1).join("/");
      await shell(`${parent === "" ? "" : `mkdir -p ${parent}; `}ln -s ${link}`);
      const plan = [{ step: "a", status: "pending" }];
      const refused = { success: false, error: expect.stringContaining(`${named} is a symbolic link`) };
      expect(await call("update_plan", { action: "create", name: "a", plan })).toMatchObject(refused);
      expect(await call("update_plan", { action: "update", name: "a", plan })).toMatchObject(refused);
      expect(await text("deploy.sh")).toBe(LINKED["deploy.sh"]);
      expect((await shell("ls src")).stdout.trim()).toBe("memory.md");
      expect((await shell("ls missing")).exitCode).not.toBe(0);
    });
  });
}

/** Two commits, and a change that is not committed. */
async function history(open: OpenProject) {
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

/** The same of git. */
export function gitToolsContract(open: OpenProject): void {
  describe("git's tools", () => {
    it("say that there is no repository, no such commit, and no such path", async () => {
      const empty = await openTools(open);
      expect(await empty.call("git_status", {})).toMatchObject({ success: true, branch: null });
      expect(await empty.call("git_log", {})).toMatchObject({ success: false });
      const { call } = await history(open);
      for (const [tool, args, error] of [
        ["git_diff", { base: "--output=x" }, "Invalid commit name"],
        ["git_diff", { base: "nowhere" }, "There is no commit nowhere"],
        ["git_diff", { base: "HEAD", target: "HEAD", staged: true }, expect.any(String)],
        ["git_blame", { path: "nowhere" }, expect.any(String)],
      ] as const) {
        expect([args, await call(tool, args)]).toMatchObject([args, { success: false, error }]);
      }
    });

    it("show the state, whole or below a path", async () => {
      const { call, second, runtime } = await history(open);
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

    it("show differences of the files, of what is staged, and between commits", async () => {
      const { call, runtime, first } = await history(open);
      await runtime.git("stage", { paths: ["a.txt"] });
      const [ofA, ofNew] = [
        { file_path: "a.txt", additions: 1, deletions: 0 },
        { file_path: "src/new.txt", additions: 1, deletions: 0 },
      ];
      for (const [args, files] of [
        [{}, [ofA, ofNew]],
        [{ staged: true }, [ofA]],
        [{ path: "src" }, [ofNew]],
        [
          { base: first.slice(0, 8), target: "main", path: "a.txt" },
          [{ ...ofA, additions: 2, deletions: 1 }],
        ],
      ] as const) {
        expect([args, (await call("git_diff", args))["files"]]).toEqual([args, files]);
      }
      expect((await call("git_diff", { base: "HEAD~1" }))["diff"]).toContain("-two\n+2\n");
    });

    it("list commits, of one path when it is named", async () => {
      const { call, first, second } = await history(open);
      for (const [args, shas] of [
        [{}, [second, first]],
        [{ max_count: 1 }, [second]],
        [{ path: "src/" }, [first]],
        [{ path: "a.txt", revision: "HEAD^" }, [first]],
        [{ path: "nowhere" }, []],
      ] as const) {
        const commits = shas.map((sha) => ({ sha }));
        expect([args, await call("git_log", args)]).toMatchObject([args, { commits }]);
      }
    });

    it("tell where each line comes from", async () => {
      const { call, first, second } = await history(open);
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
      const part = await call("git_blame", { path: "a.txt", start_line: 2, end_line: 3 });
      expect(part).toMatchObject({ hunks: [{ sha: second }, { sha: first }] });
      const before = await call("git_blame", { path: "a.txt", revision: "HEAD~1" });
      expect(before).toMatchObject({ hunks: [{ start_line: 1, end_line: 3, sha: first }] });
    });
  });
}
