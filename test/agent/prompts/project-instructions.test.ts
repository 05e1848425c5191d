import { describe, expect, it } from "vitest";
import { INSTRUCTIONS_BYTES, readProjectInstructions } from "#src/agent/prompts/project-instructions.ts";
import { AppError } from "#src/lib/errors.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";

const read = (content?: string | Uint8Array) =>
  readProjectInstructions(new MemoryRuntime(content === undefined ? {} : { "AGENTS.md": content }));

describe("a project's AGENTS.md", () => {
  it("is read as it is, without white space around it", async () => {
    expect(await read("\n# Rules\nUse tabs. Größe.\n\n")).toBe("# Rules\nUse tabs. Größe.");
  });

  it("is bounded at 32 KiB, and says how much was cut", async () => {
    expect(await read("x".repeat(INSTRUCTIONS_BYTES))).toBe("x".repeat(INSTRUCTIONS_BYTES));
    const cut = await read(`${"x".repeat(INSTRUCTIONS_BYTES - 1)}ü and more`);
    expect(cut).toBe(`${"x".repeat(INSTRUCTIONS_BYTES - 1)}\n[... 10 bytes cut ...]`);
  });

  it.each([
    ["missing", undefined],
    ["binary", new Uint8Array([0xff, 0xfe, 0x00])],
    ["of NULs", "a\0b"],
    ["empty", ""],
  ])("is none when it is %s", async (_, content) => {
    expect(await read(content)).toBe("");
  });

  it("is none when the project is asleep", async () => {
    const asleep = { readStream: () => Promise.reject(new AppError("asleep", "The project is asleep")) };
    expect(await readProjectInstructions(asleep)).toBe("");
  });
});
