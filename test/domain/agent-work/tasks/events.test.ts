import { describe, expect, it } from "vitest";
import { taskEvents, type Turn } from "#src/domain/agent-work/tasks/index.ts";

const usage = { inputTokens: 1, outputTokens: 2, cachedInputTokens: 0, cacheWriteTokens: 0 };
/** The event of a turn with these results, by the tools that had them, and what it has of them. */
function stepOf(results: readonly (readonly [string, Turn["tool_calls"][number]["result"]])[]) {
  const { data } = taskEvents.agentStep({
    iteration: 1,
    thought: null,
    response_text: "",
    tool_calls: results.map(([name, result]) => ({
      id: name,
      name,
      arguments: "{}",
      parameters: {},
      result,
      model_text: "",
    })),
    is_complete: false,
    timestamp: "2026-01-01T00:00:00.000Z",
    usage,
  });
  return { length: data.length, results: JSON.parse(data).data.tool_results };
}

describe("the end of a turn", () => {
  it("has the result or the error of each call under its name, and its fields beside it, and keeps its own names", () => {
    const { results } = stepOf([
      ["read_file", { success: true, message: "Read.", content: "text" }],
      ["bash_exec", { success: false, error: "It failed.", stdout: "half" }],
      ["odd", { success: true, tool: "x", result: 1 }],
    ]);
    const read = { message: "Read.", content: "text" };
    const failed = { error: "It failed.", stdout: "half" };
    expect(results).toEqual([
      { success: true, tool: "read_file", result: read, ...read },
      { success: false, tool: "bash_exec", result: failed, ...failed },
      { success: true, tool: "odd", result: { tool: "x", result: 1 } },
    ]);
  });

  it("has large results once", () => {
    const content = "x".repeat(30_000);
    const { length, results } = stepOf(
      Array.from({ length: 20 }, () => ["read_file", { success: true, content }]),
    );
    expect(length).toBeLessThan(700_000);
    expect(results[0]).toEqual({ success: true, tool: "read_file", result: { content } });
  });
});

it("the end of a task has its status and answer beside the data, in both events", () => {
  const ended = {
    id: "task",
    chatId: "chat",
    status: "completed",
    response: "Done.",
    error: null,
    iterations: 2,
    toolCalls: 1,
    completionReason: "stop",
    title: null,
  } as const;
  const [complete, done] = taskEvents.endingEvents(ended, usage).map(({ data }) => JSON.parse(data));
  const told = { status: "completed", response: "Done." };
  const data = { success: true, final_response: "Done.", session_id: "chat", usage: { output_tokens: 2 } };
  expect(complete).toMatchObject({ type: "complete", ...told, data });
  expect(done).toMatchObject({ type: "done", ...told });
});
