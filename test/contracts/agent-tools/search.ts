import { describe, expect, it } from "vitest";
import { openTools, type OpenProject } from "./under-test.ts";

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

const SEARCHED = ["README.md", "kept.log", "src/app.ts", "src/deep/plan.ts", "src/only-here"];

export function searchContract(open: OpenProject): void {
  describe("grep", () => {
    it("finds what people mean: no ignored, hidden, generated or binary files", async () => {
      const { call } = await openTools(open, SITE);
      expect(await call("grep", { pattern: "spring" })).toMatchObject({
        success: true,
        files: SEARCHED,
        truncated: false,
        details: { skipped_binary: 1 },
      });
    });

    it("shows lines with their numbers, and others around them", async () => {
      const { call } = await openTools(open, { "a.txt": "one\ntwo\nthree\nfour\nfive\n", "b.txt": "two\n" });
      const result = await call("grep", {
        pattern: "^t(wo|hree)$",
        output_mode: "content",
        "-A": 1,
        "-B": 1,
      });
      expect(result["matches"]).toEqual([
        { file_path: "a.txt", lines: ["1-one", "2:two", "3:three", "4-four"] },
        { file_path: "b.txt", lines: ["1:two"] },
      ]);
    });

    it("searches a directory that is ignored, or a file that is hidden, when it is named", async () => {
      const { call } = await openTools(open, SITE);
      const search = async (args: object) => (await call("grep", { pattern: "spring", ...args }))["files"];
      expect(await search({ path: "node_modules/left" })).toEqual(["node_modules/left/index.js"]);
      expect(await search({ path: "dist" })).toEqual(["dist/app.js"]);
      expect(await search({ path: ".env" })).toEqual([".env"]);
      expect(await search({ path: "src/deep" })).toEqual(["src/deep/plan.ts"]);
      expect(await search({ glob: ".github/**" })).toEqual([".github/ci.yml"]);
      expect(await search({ glob: "!*.md", type: "ts" })).toEqual(["src/app.ts", "src/deep/plan.ts"]);
    });

    it("follows no link, and leaves the project through none", async () => {
      const { call, shell } = await openTools(open, { "src/a.txt": "root:x:0 here\n" });
      await shell("ln -s /etc/passwd passwd; ln -s /etc etc; ln -s src/a.txt inside; ln -s src dir");
      expect(await call("grep", { pattern: "root:x:0" })).toMatchObject({ files: ["src/a.txt"] });
      expect(await call("grep", { pattern: "root:x:0", path: "etc" })).toMatchObject({ success: false });
      expect(await call("read_many_files", { include: ["passwd", "**/*"] })).toMatchObject({
        files: [{ path: "src/a.txt" }],
        skipped: [{ path: "passwd", reason: "not a file" }],
      });
    });
  });

  describe("glob", () => {
    it("finds files by name at any depth, the latest change first", async () => {
      const { call, write } = await openTools(open, SITE);
      await new Promise((resolve) => setTimeout(resolve, 5));
      await write("src/app.ts", "later\n");
      expect(await call("glob", { pattern: "*.ts" })).toMatchObject({
        matches: ["src/app.ts", "src/deep/plan.ts"],
        total_found: 2,
        truncated: false,
      });
      expect(
        await call("glob", { pattern: "**/*.{yml,md}", include_hidden: true, sort: "name" }),
      ).toMatchObject({
        matches: [".github/ci.yml", "README.md"],
      });
      expect((await call("glob", { pattern: "deep/*", path: "src" }))["matches"]).toEqual([
        "src/deep/plan.ts",
      ]);
      expect(
        (await call("glob", { pattern: "*", path: "src", recursive: false, sort: "name" }))["matches"],
      ).toEqual(["src/app.ts", "src/only-here"]);
    });

    it("says that a directory is not there", async () => {
      const { call } = await openTools(open);
      expect(await call("glob", { pattern: "*", path: "nowhere" })).toMatchObject({ success: false });
    });
  });

  describe("list_dir", () => {
    it("shows a directory and the levels below it, in pages", async () => {
      const { call } = await openTools(open, SITE);
      expect(await call("list_dir", { dir_path: ".", limit: 500 })).toMatchObject({
        entries: [
          { path: "README.md", type: "file", size: 24 },
          { path: "debug.log" },
          { path: "dist", type: "directory" },
          { path: "dist/app.js" },
          { path: "kept.log" },
          { path: "node_modules", type: "directory" },
          { path: "only-here" },
          { path: "picture.bin" },
          { path: "src" },
          { path: "src/app.ts" },
          { path: "src/deep" },
          { path: "src/only-here" },
        ],
        total: 12,
        has_more: false,
      });
      expect(await call("list_dir", { dir_path: "src", depth: 1, offset: 2, limit: 1 })).toMatchObject({
        entries: [{ path: "src/deep" }],
        total: 3,
        has_more: true,
        suggestion: "Read on with offset 3.",
      });
      expect((await call("list_dir", { dir_path: "node_modules", depth: 3 }))["entries"]).toHaveLength(2);
      expect((await call("list_dir", { dir_path: ".", depth: 1, include_hidden: true }))["total"]).toBe(11);
    });
  });

  describe("read_many_files", () => {
    it("reads names, directories and globs", async () => {
      const { call } = await openTools(open, { ...SITE, "app/[id]/page.tsx": "page\n" });
      const result = await call("read_many_files", {
        include: ["README.md", "src/", "app/[id]/page.tsx", "nowhere.ts", "picture.bin"],
        exclude: ["only-*"],
      });
      expect(result).toMatchObject({
        files: [
          { path: "README.md", content: SITE["README.md"], truncated: false },
          { path: "app/[id]/page.tsx", content: "page\n" },
          { path: "picture.bin" },
          { path: "src/app.ts" },
          { path: "src/deep/plan.ts" },
        ].filter(({ path }) => path !== "picture.bin"),
        skipped_count: 2,
      });
      expect(result["skipped"]).toEqual([
        { path: "nowhere.ts", reason: "not found" },
        { path: "picture.bin", reason: "binary" },
      ]);
    });
  });
}
