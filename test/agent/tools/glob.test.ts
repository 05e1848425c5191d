import { describe, expect, it } from "vitest";
import { z } from "zod";
import { runTool } from "#src/agent/tools/run-tool.ts";
import { toModelText } from "#src/agent/tools/to-model-text.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { toolCall, toolContext } from "#test/support/tool-context.ts";

const many = () =>
  new MemoryRuntime(Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`src/file-${i}.ts`, ""])));
const call = async (runtime: MemoryRuntime, name: string, args: object) =>
  (await runTool(toolCall(name, args), toolContext({ runtime }))).result;

describe("glob", () => {
  it("lists as many as it is asked for, and counts the others", async () => {
    const result = await call(many(), "glob", { pattern: "*.ts", limit: 3 });
    expect(result).toMatchObject({
      matches: ["src/file-2999.ts", "src/file-2998.ts", "src/file-2997.ts"],
      total_found: 3_000,
      truncated: true,
    });
  });

  it("shows the model a whole list, however long", async () => {
    const result = await call(many(), "glob", { pattern: "*.ts", limit: 2_000 });
    expect(result).toMatchObject({ total_found: 3_000, truncated: true });
    expect(toModelText(result)).not.toContain("characters cut");
  });

  it.each(["{a,b}".repeat(9), "x".repeat(1_001)])(
    "refuses a pattern that would multiply",
    async (pattern) => {
      expect(await call(many(), "glob", { pattern })).toMatchObject({ success: false });
    },
  );

  it("is not held up by a pattern that is made to hurt", async () => {
    const runtime = new MemoryRuntime({ [`${"a".repeat(250)}/${"a".repeat(250)}`]: "" });
    expect(await call(runtime, "glob", { pattern: `${"*a".repeat(200)}b` })).toMatchObject({
      total_found: 0,
    });
  });
});

describe("list_dir", () => {
  it("can be read to its end in pages", async () => {
    const runtime = many();
    const seen: unknown[] = [];
    for (let offset = 1, more = true; more;) {
      const result = await call(runtime, "list_dir", { dir_path: "src", offset, limit: 500 });
      const entries = z.array(z.unknown()).parse(result["entries"]);
      seen.push(...entries);
      offset += entries.length;
      more = result["has_more"] === true;
      expect(toModelText(result)).not.toContain("cut");
    }
    expect(seen).toHaveLength(3_000);
  });

  it.each(["/", "..", "nowhere/../.."])("refuses %s", async (dir_path) => {
    expect(await call(many(), "list_dir", { dir_path })).toMatchObject({ success: false });
  });
});
