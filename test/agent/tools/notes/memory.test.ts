import { describe, expect, it } from "vitest";
import { runTool } from "#src/agent/tools/run-tool.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { toolCall, toolContext } from "#test/support/tool-context.ts";

const PATH = ".workspace/memory.md";
const call = async (runtime: MemoryRuntime, name: string, args: object) =>
  (await runTool(toolCall(name, args), toolContext({ runtime }))).result;

describe("the project's memory", () => {
  it("changes nothing when a call is made twice", async () => {
    const runtime = new MemoryRuntime();
    for (const mode of ["replace", "append"]) {
      const args = { section: "Style", body: `By ${mode}.`, mode };
      await call(runtime, "memory_write", args);
      const before = runtime.text(PATH);
      await call(runtime, "memory_write", args);
      expect(runtime.text(PATH)).toBe(before);
    }
    expect(runtime.text(PATH)).toContain("## Style\n\nBy replace.\nBy append.\n");
    expect(runtime.writes).toHaveLength(2);
  });

  it("keeps what people wrote around it", async () => {
    const runtime = new MemoryRuntime({
      [PATH]: "# Ours\r\n\r\nBe kind.\r\n\r\n## One\r\nfirst\r\n\r\n### Sub\r\nmore\r\n",
    });
    await call(runtime, "memory_write", { section: "Two", body: "second" });
    expect(runtime.text(PATH)).toBe(
      "# Ours\n\nBe kind.\n\n## One\n\nfirst\n\n### Sub\nmore\n\n## Two\n\nsecond\n",
    );
  });

  it("takes a section away when nothing is left of it", async () => {
    const runtime = new MemoryRuntime({ [PATH]: "# Memory\n\n## One\n\na\n\n## Two\n\nb\n" });
    expect(await call(runtime, "memory_write", { section: "one", body: " " })).toMatchObject({
      removed: true,
    });
    expect(runtime.text(PATH)).toBe("# Memory\n\n## Two\n\nb\n");
  });

  it("refuses a body that would be other sections, and too much", async () => {
    const runtime = new MemoryRuntime({ [PATH]: `## Big\n\n${"x".repeat(127_000)}\n` });
    expect(await call(runtime, "memory_write", { section: "a", body: "b\n## c" })).toMatchObject({
      success: false,
    });
    expect(await call(runtime, "memory_write", { section: "a\nb", body: "c" })).toMatchObject({
      success: false,
    });
    expect(await call(runtime, "memory_write", { section: "a", body: "y".repeat(2_000) })).toMatchObject({
      success: false,
    });
    expect(runtime.writes).toEqual([]);
  });

  it("names its sections when there is none of that name", async () => {
    const runtime = new MemoryRuntime({ [PATH]: "## One\n\na\n" });
    expect(await call(runtime, "memory_read", { section: "Two" })).toMatchObject({
      success: false,
      sections: ["One"],
    });
  });

  it("does not write over a file that is no text", async () => {
    const runtime = new MemoryRuntime({ [PATH]: Uint8Array.of(0xff, 0) });
    expect(await call(runtime, "memory_write", { section: "a", body: "b" })).toMatchObject({
      success: false,
    });
    expect(runtime.writes).toEqual([]);
  });
});
