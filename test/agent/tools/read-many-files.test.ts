import { describe, expect, it } from "vitest";
import { runTool } from "#src/agent/tools/run-tool.ts";
import { toModelText } from "#src/agent/tools/to-model-text.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { toolCall, toolContext } from "#test/support/tool-context.ts";

const read = async (files: Record<string, string | Uint8Array>, args: object) =>
  (await runTool(toolCall("read_many_files", args), toolContext({ runtime: new MemoryRuntime(files) })))
    .result;

describe("read_many_files", () => {
  it("shows the model every content as it is", async () => {
    const result = await read({ "a.ts": 'const a = "\\n";\n', "b.ts": "b\n" }, { include: ["*.ts"] });
    expect(toModelText(result)).toContain('<content path="a.ts">\nconst a = "\\n";\n\n</content>');
    expect(toModelText(result)).toContain('{"path":"b.ts","size_bytes":2,"truncated":false}');
  });

  it("shares the room between files, and says which were cut", async () => {
    const result = await read(
      { "a.txt": "a".repeat(90_000), "b.txt": "b\n", "c.txt": "c".repeat(90_000) },
      { include: ["*.txt"] },
    );
    expect(result["files"]).toMatchObject([
      { path: "a.txt", truncated: true },
      { path: "b.txt", truncated: false, content: "b\n" },
      { path: "c.txt", truncated: true },
    ]);
    expect(toModelText(result)).not.toContain("characters cut");
  });

  it("keeps to the bytes it is allowed, and ends at a character", async () => {
    const result = await read(
      { a: "é".repeat(10), b: "xx", c: "yy" },
      { include: ["*"], max_bytes_per_file: 5, max_total_bytes: 7 },
    );
    expect(result).toMatchObject({
      files: [
        { path: "a", content: "éé", truncated: true },
        { path: "b", content: "xx", truncated: false },
      ],
      skipped: [{ path: "c", reason: "no room left" }],
      total_bytes: 7,
    });
  });

  it("says why a file was skipped", async () => {
    const result = await read(
      {
        "a.bin": Uint8Array.of(0, 1),
        "b.txt": Uint8Array.of(0xff, 0xfe),
        "c.png": "text",
        d: new Uint8Array(5_000_000),
      },
      { include: ["*"] },
    );
    expect(result).toMatchObject({ files: [], skipped_count: 4 });
    expect(result["skipped"]).toEqual([
      { path: "c.png", reason: "binary" },
      { path: "d", reason: "too large" },
      { path: "a.bin", reason: "binary" },
      { path: "b.txt", reason: "binary" },
    ]);
  });

  it("leaves out what is ignored unless it is asked not to", async () => {
    const files = { ".gitignore": "made/\n", "a.ts": "", "made/b.ts": "", "node_modules/c.ts": "" };
    expect((await read(files, { include: ["**/*.ts"] }))["files"]).toHaveLength(1);
    expect((await read(files, { include: ["**/*.ts"], use_default_excludes: false }))["files"]).toHaveLength(
      3,
    );
    expect((await read(files, { include: ["made/b.ts"] }))["files"]).toHaveLength(1);
  });

  it.each(["/etc/passwd", "../a", "a/../../b"])("refuses %s", async (path) => {
    expect(await read({ a: "" }, { include: [path] })).toMatchObject({ success: false });
  });
});
