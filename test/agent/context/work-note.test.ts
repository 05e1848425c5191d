import { describe, expect, it } from "vitest";
import { replayed, workNote } from "#src/agent/context/work-note.ts";

const call = (name: string, parameters: Record<string, unknown>, success = true) => ({
  id: crypto.randomUUID(),
  name,
  arguments: JSON.stringify(parameters),
  parameters,
  result: { success },
  model_text: "x".repeat(10_000),
});

describe("the note of what an agent did", () => {
  it("names the calls, what each is about, and how it went", () => {
    const steps = [
      { tool_calls: [call("write_file", { file_path: "a.txt", content: "long" })] },
      {
        tool_calls: [call("bash_exec", { command: "npm test\nnpm run lint" }, false), call("git_status", {})],
      },
      { tool_calls: [] },
    ];
    expect(workNote(steps)).toBe("write_file a.txt ✓, bash_exec npm test… ✗, git_status ✓");
    expect(workNote([{ tool_calls: [] }])).toBeNull();
  });

  it("is bounded, whatever was called", () => {
    const calls = Array.from({ length: 500 }, () => call("bash_exec", { command: "🎉".repeat(1_000) }));
    const note = workNote([{ tool_calls: calls }]) ?? "";
    expect(note.startsWith("480 earlier calls, bash_exec 🎉")).toBe(true);
    expect(Array.from(note).length).toBeLessThan(2_000);
    expect(note.isWellFormed()).toBe(true);
  });

  it("stands with the answer that it belongs to, also where that is empty", () => {
    const message = { seq: 1, role: "assistant", work: "read_file a ✓" } as const;
    const note = "[Tools called for this, as the service noted: read_file a ✓]";
    expect(replayed({ ...message, content: "Done." })).toEqual({
      seq: 1,
      role: "assistant",
      content: `Done.\n\n${note}`,
    });
    expect(replayed({ ...message, content: "" }).content).toBe(note);
    expect(replayed({ ...message, work: null, content: "Done." }).content).toBe("Done.");
  });
});
