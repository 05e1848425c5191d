import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toEventResult } from "#src/agent/tools/to-event-result.ts";
import { toModelText } from "#src/agent/tools/to-model-text.ts";
import type { ToolResult } from "#src/agent/tools/tool.ts";
import { runs } from "#test/support/soak.ts";
import { anyText } from "#test/support/any-text.ts";

const fields = fc.dictionary(
  fc
    .stringMatching(/^[a-z_]{1,20}$/)
    .filter((name) => !["success", "message", "error", "suggestion"].includes(name)),
  fc.oneof(
    anyText({ maxLength: 100 }),
    fc.nat(200_000).map((length) => "é".repeat(length)),
    fc.array(
      fc.nat(3_000).map((length) => "\0".repeat(length)),
      { maxLength: 60 },
    ),
    fc.jsonValue(),
  ),
  { maxKeys: 12 },
);
const results: fc.Arbitrary<ToolResult> = fc
  .tuple(fc.boolean(), fields, fc.string())
  .map(([success, rest, said]) =>
    success ? { ...rest, success, message: said } : { ...rest, success, error: said },
  );

describe("a result as the model reads it", () => {
  it("shows every field, small ones as JSON and long ones as they are", () => {
    const found = { matches: ["a.ts", "b.ts"], diff: "-old\n+new\n", details: { size_bytes: 3 } };
    expect(toModelText({ success: true, message: "Found 2.", ...found })).toBe(
      'Found 2.\n{"matches":["a.ts","b.ts"],"details":{"size_bytes":3}}\n<diff>\n-old\n+new\n\n</diff>',
    );
    const failed = {
      error: "The command failed.",
      suggestion: "Look.",
      exit_code: 1,
      stderr: "no such\nfile",
    };
    expect(toModelText({ success: false, ...failed })).toBe(
      'Error: The command failed.\nSuggestion: Look.\n{"exit_code":1}\n<stderr>\nno such\nfile\n</stderr>',
    );
  });

  it("keeps 5,000 characters of each end of a long text, and says what is missing", () => {
    const stdout = `${"h".repeat(5_000)}${"m".repeat(90_000)}${"t".repeat(5_000)}`;
    expect(toModelText({ success: true, message: "Done.", stdout })).toBe(
      `Done.\n<stdout>\n${"h".repeat(5_000)}\n[... 90000 characters cut ...]\n${"t".repeat(5_000)}\n</stdout>`,
    );
  });

  it("stays within its bound, whatever the result", () => {
    fc.assert(
      fc.property(results, (result) => {
        const text = toModelText(result);
        expect(text.length).toBeLessThanOrEqual(30_048);
        expect(text.isWellFormed()).toBe(true);
      }),
      { numRuns: runs(25) },
    );
  });
});

describe("a result as it is recorded", () => {
  it("is the result itself when that is small", () => {
    const result: ToolResult = {
      success: true,
      message: "Done.",
      todos: [{ id: "1" }],
      count: 2,
      none: null,
    };
    expect(toEventResult(result)).toEqual(result);
  });

  it("keeps head and tail of a long text", () => {
    const { stdout } = toEventResult({
      success: true,
      message: "",
      stdout: `first${"x".repeat(99_999)}last`,
    });
    expect(stdout).toMatch(/^first.*\n\[\.\.\. \d+ characters cut \.\.\.\]\n.*last$/);
  });

  it("counts the items it leaves out of a long list", () => {
    const { files } = toEventResult({
      success: true,
      message: "",
      files: Array.from({ length: 600 }, () => "a"),
    });
    expect(files).toHaveLength(501);
    expect(files).toContain("[... 100 items cut ...]");
  });

  it("never takes more than 32 KiB, and always says what became of the call", () => {
    fc.assert(
      fc.property(results, (result) => {
        const recorded = toEventResult(result);
        expect(Buffer.byteLength(JSON.stringify(recorded))).toBeLessThanOrEqual(32 * 1024);
        expect(recorded["success"]).toBe(result.success);
        expect(recorded).toHaveProperty(result.success ? "message" : "error");
      }),
      { numRuns: runs(25) },
    );
  });

  it("falls back to its sentence when even the tightest bounds do not fit", () => {
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`field_${i}`, "x".repeat(200)]));
    expect(toEventResult({ ...wide, success: false, error: "No." })).toEqual({
      success: false,
      error: "No.",
      truncated: true,
    });
  });
});
