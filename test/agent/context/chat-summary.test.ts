import { describe, expect, it } from "vitest";
import { chatSummary } from "#src/agent/context/chat-summary.ts";
import { NO_COMPACTION, type Compaction } from "#src/agent/context/compaction.ts";

/** Five exchanges; the third got no answer. */
const history = [1, 2, 3, 4, 5].flatMap((seq) => [
  { seq, role: "user" as const, content: `question ${seq}` },
  { seq, role: "assistant" as const, content: seq === 3 ? "" : `answer ${seq}` },
]);

const compaction = (changes: Partial<Compaction>): Compaction => ({
  ...NO_COMPACTION,
  summary: "a summary",
  ...changes,
});

describe("what a task leaves of its chat", () => {
  it.each([
    [0, 5],
    [1, 4],
    [2, 4],
    // Never an answer that is shown, nor its question.
    [3, 3],
    [4, 3],
    [5, 2],
    [6, 1],
  ])("is the summary of all but the newest %i messages", (keptHistory, through) => {
    expect(chatSummary(history, compaction({ keptHistory }))).toEqual({ summary: "a summary", through });
  });

  it.each<[string, Partial<Compaction>]>([
    ["everything is shown", { keptHistory: null }],
    ["only results were emptied", { keptHistory: 2, summary: "" }],
    ["no summary was to be had", { keptHistory: 2, failures: 1 }],
    ["turns of the task are in it", { keptHistory: 0, throughIteration: 3 }],
    ["the first exchange is shown in part", { keptHistory: 8 }],
  ])("is nothing where %s", (_, changes) => {
    expect(chatSummary(history, compaction(changes))).toBeUndefined();
  });
});
