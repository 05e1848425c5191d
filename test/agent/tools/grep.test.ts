import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { runTool } from "#src/agent/tools/run-tool.ts";
import { toModelText } from "#src/agent/tools/to-model-text.ts";
import { AppError } from "#src/lib/errors.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { toolCall, toolContext } from "#test/support/tool-context.ts";

const grep = async (files: Record<string, string | Uint8Array>, args: object) =>
  (await runTool(toolCall("grep", args), toolContext({ runtime: new MemoryRuntime(files) }))).result;

const lines = async (text: string, args: object) =>
  (await grep({ a: text }, { output_mode: "content", ...args }))["matches"];

/** So many files that a search cannot show them all. */
const many = () =>
  new MemoryRuntime(
    Object.fromEntries([
      [".gitignore", "*.tmp\nbuild/\n/cache\nlogs/*.txt\n"],
      ...Array.from({ length: 3_000 }, (_, index) => [`src/d${index % 100}/f${index}.ts`, "x\n"]),
    ]),
  );

describe("grep", () => {
  it("counts the matching lines of each file", async () => {
    const result = await grep({ a: "x\ny\nx x\n", b: "y\n" }, { pattern: "x", output_mode: "count" });
    expect(result).toMatchObject({ counts: [{ file_path: "a", count: 2 }], message: "Found 1 file." });
  });

  it("tells capitals apart unless it is told not to, and lines end before their line break", async () => {
    expect(await lines("Bed\r\nbed", { pattern: "bed$" })).toEqual([{ file_path: "a", lines: ["2:bed"] }]);
    expect(await lines("Bed\r\nbed", { pattern: "^BED$", "-i": true, "-n": false })).toEqual([
      { file_path: "a", lines: ["Bed", "bed"] },
    ]);
  });

  it("finds what spans lines only when it is asked to", async () => {
    const files = { a: "f(\n  1,\n);\ng();\n" };
    expect((await grep(files, { pattern: "f\\(.*?\\)" }))["files"]).toEqual([]);
    expect(
      await grep(files, { pattern: "f\\(.*?\\)", multiline: true, output_mode: "content" }),
    ).toMatchObject({
      matches: [{ file_path: "a", lines: ["1:f(", "2:  1,", "3:);"] }],
    });
    expect(
      (await grep(files, { pattern: "x*", multiline: true, output_mode: "count" }))["counts"],
    ).toHaveLength(1);
  });

  it("goes on where it stopped", async () => {
    const files = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`f${index}`, "x\nx\n"]));
    const seen: unknown[] = [];
    let offset = 0;
    for (let more = true; more;) {
      const result = await grep(files, { pattern: "x", head_limit: 4, offset });
      seen.push(...z.array(z.string()).parse(result["files"]));
      more = result["truncated"] === true;
      offset = Number(result["next_offset"]);
    }
    expect(seen).toEqual(Object.keys(files));
    expect(
      await grep(files, { pattern: "x", output_mode: "content", head_limit: 3, offset: 1 }),
    ).toMatchObject({
      matches: [
        { file_path: "f0", lines: ["2:x"] },
        { file_path: "f1", lines: ["1:x", "2:x"] },
      ],
      next_offset: 4,
    });
  });

  it("shows the model whole lists, however much there is", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`f${index}`, `${"word ".repeat(200)}\n`.repeat(60)]),
    );
    const result = await grep(files, { pattern: "word", output_mode: "content", head_limit: 2_000 });
    expect(result).toMatchObject({ truncated: true, next_offset: expect.any(Number) });
    expect(toModelText(result)).not.toContain("characters cut");
    expect(toModelText(result).length).toBeLessThan(30_000);
  });

  it.each(["(", "(?=a)", "(a)\\1", "a{1001}", "((a{30}){30}){30}", "x".repeat(1_001), "(".repeat(1_000)])(
    "refuses an unsupported pattern with a suggestion",
    async (pattern) => {
      expect(await grep({ a: "a" }, { pattern })).toMatchObject({
        success: false,
        suggestion: expect.stringContaining("RE2"),
      });
    },
  );

  /** Texts and patterns that keep a backtracking engine busy practically for ever. */
  it.each([
    ["(a+)+$", `${"a".repeat(10_000)}b`],
    ["(a|a)*c", "a".repeat(10_000)],
    ["(a|aa)+$", `${"a".repeat(10_000)}!`],
    ["(.*a){20}$", `${"a".repeat(5_000)}b`],
    ["^(\\w+\\s?)*$", `${"word ".repeat(3_000)}!`],
    ["(x+x+)+y", "x".repeat(10_000)],
  ])("is not held up by %s", async (pattern, text) => {
    for (const multiline of [false, true]) {
      const result = await grep(
        { "hostile.txt": `${text}\n`, "plain.txt": "xxy\nc\n" },
        { pattern, multiline },
      );
      expect(result).toMatchObject({ success: true });
      expect(result["files"]).not.toContain("hostile.txt");
    }
  });

  it("lets others have their turn, and ends with the run", async () => {
    const runtime = new MemoryRuntime({ "a.txt": `${"ab".repeat(50)}\n`.repeat(40_000) });
    const controller = new AbortController();
    const reason = new Error("stopped");
    const context = toolContext({ runtime, signal: controller.signal });
    const running = runTool(toolCall("grep", { pattern: "(a|b)*a(a|b){20}c" }), context);
    setTimeout(() => controller.abort(reason), 0);
    await expect(running).rejects.toBe(reason);
  });

  describe("when its time is over", () => {
    afterEach(() => {
      vi.useRealTimers();
    });

    it("returns what it has found so far, marked as truncated", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: 0 });
      const runtime = new MemoryRuntime({ "a.txt": "x\n", "b.txt": "x\n", "c.txt": "x\n" });
      const readEntries = runtime.readEntries.bind(runtime);
      runtime.readEntries = async (paths) => {
        const entries = await readEntries(paths);
        return (async function* () {
          for await (const each of entries) {
            if (each.entry.path === "b.txt") vi.setSystemTime(60_000);
            yield each;
          }
        })();
      };
      const { result } = await runTool(toolCall("grep", { pattern: "x" }), toolContext({ runtime }));
      expect(result).toMatchObject({
        success: true,
        files: ["a.txt", "b.txt"],
        truncated: true,
        suggestion: expect.stringContaining("time"),
      });
    });
  });

  it("passes over what is too large, and cuts lines that are too long to show", async () => {
    const result = await grep(
      { large: new Uint8Array(4 * 1024 * 1024 + 1).fill(97), "min.js": `a${"x".repeat(1_000)}\n` },
      { pattern: "a", output_mode: "content" },
    );
    expect(result).toMatchObject({ details: { skipped_large: 1, files_searched: 1 } });
    expect(JSON.stringify(result["matches"])).toMatch(/1:ax{399} \[\.\.\. 1001 characters\]/);
  });

  it("names the types it knows", async () => {
    expect(await grep({}, { pattern: "a", type: "klingon" })).toMatchObject({
      success: false,
      suggestion: expect.stringContaining("rust"),
    });
  });
});

describe("a project of many files", () => {
  it("is searched whole", async () => {
    const { result } = await runTool(toolCall("grep", { pattern: "x" }), toolContext({ runtime: many() }));
    expect(result).toMatchObject({ success: true, truncated: true });
  });

  it("is too many at once above what a listing holds, with a way out", async () => {
    const runtime = new MemoryRuntime({ "a.txt": "x" });
    runtime.list = async () => {
      throw new AppError("too_large", "The directory has too many entries");
    };
    for (const [tool, args] of [
      ["grep", { pattern: "x" }],
      ["glob", { pattern: "*" }],
      ["list_dir", { dir_path: "" }],
      ["read_many_files", { include: ["**/*"] }],
    ] as const) {
      const { result } = await runTool(toolCall(tool, args), toolContext({ runtime }));
      expect(result).toMatchObject({ success: false, suggestion: expect.stringContaining(".gitignore") });
    }
  });

  it("is searched without what its .gitignore names, where that is too much", async () => {
    const runtime = new MemoryRuntime({ ".gitignore": "generated/\n", "a.txt": "x", "generated/b.txt": "x" });
    const list = runtime.list.bind(runtime);
    runtime.list = async (path, options) => {
      if (!options.exclude?.includes("generated")) throw new AppError("too_large", "Too many entries");
      return list(path, options);
    };
    const { result } = await runTool(toolCall("grep", { pattern: "x" }), toolContext({ runtime }));
    expect(result).toMatchObject({ files: ["a.txt"] });
  });
});
