import { describe, expect, it } from "vitest";
import { runTool } from "#src/agent/tools/run-tool.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { toolCall, toolContext } from "#test/support/tool-context.ts";

const call = async (runtime: MemoryRuntime, name: string, args: unknown) =>
  (await runTool(toolCall(name, args), toolContext({ runtime }))).result;
const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join("");
const fill = (size: number) => new Uint8Array(size).fill(97);

describe("read_file", () => {
  it.each([
    [
      "the whole text with its size and lines",
      "one\nzwölf\n",
      {},
      { content: "one\nzwölf\n", details: { size_bytes: 11, lines: 2 } },
    ],
    [
      "a range of lines",
      lines(20),
      { offset: 3, limit: 2 },
      { content: "line 3\nline 4", message: "Read lines 3 to 4 of the 20 of a." },
    ],
    [
      "the rest of the file for a limit beyond its end",
      lines(20),
      { offset: 19, limit: 500 },
      { content: "line 19\nline 20", details: { lines: 20 } },
    ],
    ["an empty file", "", { offset: 1 }, { success: true, content: "" }],
    [
      "of a long file a part, with the way to read on",
      lines(5_000),
      {},
      { suggestion: expect.stringContaining("offset and limit") },
    ],
    [
      "how many lines there are when asked for one beyond them",
      "x",
      { offset: 2 },
      { success: false, error: "a has 1 line; there is no line 2." },
    ],
    [
      "no bytes that are not UTF-8, but their number",
      Uint8Array.of(0x89, 0x50, 0xff, 0xfe),
      {},
      { success: false, details: { size_bytes: 4 }, error: expect.stringContaining("4 bytes") },
    ],
    [
      "no NUL, but the number of bytes",
      Uint8Array.of(0x61, 0, 0x62, 0x63),
      {},
      { success: false, error: expect.stringContaining("4 bytes") },
    ],
    [
      "of a file too large for memory another way",
      fill(4 * 1024 * 1024 + 1),
      {},
      { success: false, suggestion: expect.stringContaining("bash_exec") },
    ],
  ])("gives %s", async (_, content, args, expected) => {
    const runtime = new MemoryRuntime({ a: content });
    expect(await call(runtime, "read_file", { file_path: "./a", ...args })).toMatchObject(expected);
  });

  it("says that a file is missing, with a way to find it, or is a directory", async () => {
    const runtime = new MemoryRuntime({ "src/a": "" });
    expect(await call(runtime, "read_file", { path: "nope.ts" })).toMatchObject({
      success: false,
      exists: false,
      suggestion: expect.stringContaining("list_dir"),
    });
    expect(await call(runtime, "read_file", { file_path: "src" })).toMatchObject({
      success: false,
      error: "src is a directory.",
    });
  });
});

it.each(["/app/src/a.ts", "/etc/passwd", "../secrets", "a/../../b", ".", "./", "a\0b"])(
  "the path %j is refused with a sentence, in every tool that takes a file",
  async (file_path) => {
    const runtime = new MemoryRuntime({ "src/a.ts": "old" });
    const edit = { old_str: "old", new_str: "new" };
    for (const [name, args] of [
      ["read_file", {}],
      ["write_file", { content: "x" }],
      ["patch_file", edit],
      ["multi_edit", { edits: [edit] }],
    ] as const) {
      const { result, cause } = await runTool(
        toolCall(name, { file_path, ...args }),
        toolContext({ runtime }),
      );
      const sentence = file_path.startsWith("/") ? /relative to the project root/u : /\w+ \w+/u;
      expect(result).toMatchObject({ success: false, error: expect.stringMatching(sentence) });
      expect(cause).toBeUndefined();
    }
    expect(runtime.writes).toEqual([]);
  },
);

describe("write_file", () => {
  it("creates a file, does the same when it is run again, and shows what it wrote", async () => {
    const runtime = new MemoryRuntime();
    const args = { file_path: "src/new.ts", content: "a\nb\n" };
    const first = await call(runtime, "write_file", args);
    expect(await call(runtime, "write_file", args)).toEqual(first);
    expect(runtime.text("src/new.ts")).toBe("a\nb\n");
    expect(first).toMatchObject({ preview: "a\nb", details: { size_bytes: 4, line_count: 2 } });
    expect((await call(runtime, "write_file", { file_path: "a", content: lines(12) }))["preview"]).toBe(
      "line 1\nline 2\nline 3\nline 4\nline 5\n[... 2 lines ...]\nline 8\nline 9\nline 10\nline 11\nline 12",
    );
    expect(await call(runtime, "write_file", { file_path: "src", content: "" })).toMatchObject({
      success: false,
      error: "src is a directory",
    });
  });
});

describe("patch_file", () => {
  it("replaces a text and shows the change", async () => {
    const runtime = new MemoryRuntime({ a: "one\ntwo\nthree\n" });
    const result = await call(runtime, "patch_file", { file_path: "a", search: "two", replace: "zwei" });
    expect(runtime.text("a")).toBe("one\nzwei\nthree\n");
    expect(result["diff"]).toBe("--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n");
    expect(result["details"]).toEqual({
      strategy: "exact",
      occurrences: 1,
      size_bytes: 15,
      lines_added: 1,
      lines_removed: 1,
    });
  });

  it("keeps a byte order mark and CRLF line ends", async () => {
    const runtime = new MemoryRuntime({ a: Buffer.from("\uFEFFone\r\ntwo\r\n") });
    await call(runtime, "patch_file", { file_path: "a", old_str: "one\ntwo", new_str: "1\n2" });
    expect(Buffer.from((await runtime.readFile("a")) ?? []).toString()).toBe("\uFEFF1\r\n2\r\n");
  });

  it("writes nothing where the file is not there, or the text more often than expected", async () => {
    const runtime = new MemoryRuntime({ a: "x x" });
    const patch = (file_path: string) =>
      call(runtime, "patch_file", { file_path, old_str: "x", new_str: "y" });
    expect(await patch("b")).toMatchObject({ success: false, exists: false });
    const suggestion = expect.stringContaining("allow_multiple");
    expect(await patch("a")).toMatchObject({ success: false, suggestion });
    expect(runtime.writes).toEqual([]);
  });
});

describe("multi_edit", () => {
  it("makes edits in order, each on what the one before it left", async () => {
    const runtime = new MemoryRuntime({ a: "one" });
    const edits = [
      { old_str: "one", new_str: "two two" },
      { search: "two", replace: "three", allow_multiple: true },
    ];
    const applied = [1, 2].map((occurrences) => ({ strategy: "exact", occurrences }));
    const result = await call(runtime, "multi_edit", { file_path: "a", edits });
    expect(runtime.text("a")).toBe("three three");
    expect(result["details"]).toMatchObject({ edit_count: 2, applied });
  });

  it("writes nothing when one edit cannot be made, and says which", async () => {
    const runtime = new MemoryRuntime({ a: "one two" });
    const edits = ["one", "absent"].map((old_str) => ({ old_str, new_str: "1" }));
    const error = expect.stringContaining("Edit 2 of 2");
    expect(await call(runtime, "multi_edit", { file_path: "a", edits })).toMatchObject({
      success: false,
      failed_edit: 2,
      error,
    });
    expect(runtime.writes).toEqual([]);
  });
});
