import { describe, expect, it } from "vitest";
import { taskEvents, type Turn } from "#src/domain/agent-work/tasks/index.ts";

const usage = { inputTokens: 1, outputTokens: 2, cachedInputTokens: 0, cacheWriteTokens: 0 };
const called = (name: string, result: Turn["tool_calls"][number]["result"]) => ({
  id: name,
  name,
  arguments: "{}",
  parameters: {},
  result,
  model_text: "",
});
const step = (...calls: ReturnType<typeof called>[]): Turn => ({
  iteration: 1,
  thought: null,
  response_text: "",
  tool_calls: calls,
  is_complete: false,
  timestamp: "2026-01-01T00:00:00.000Z",
  usage,
});
const bodyOf = ({ data }: { data: string }) => JSON.parse(data);

describe("the end of a turn", () => {
  it("has the result or the error of each call under its name, and its fields beside it", () => {
    const { data } = bodyOf(
      taskEvents.agentStep(
        step(
          called("read_file", { success: true, message: "Read.", content: "text" }),
          called("bash_exec", { success: false, error: "It failed.", stdout: "half" }),
        ),
      ),
    );
    expect(data.tool_results).toEqual([
      {
        success: true,
        tool: "read_file",
        result: { message: "Read.", content: "text" },
        message: "Read.",
        content: "text",
      },
      {
        success: false,
        tool: "bash_exec",
        error: "It failed.",
        result: { error: "It failed.", stdout: "half" },
        stdout: "half",
      },
    ]);
  });

  it("keeps its own names where a result has fields of the same", () => {
    const { data } = bodyOf(
      taskEvents.agentStep(step(called("odd", { success: true, tool: "x", result: 1 }))),
    );
    expect(data.tool_results).toEqual([{ success: true, tool: "odd", result: { tool: "x", result: 1 } }]);
  });

  it("has large results once", () => {
    const content = "x".repeat(30_000);
    const calls = Array.from({ length: 20 }, () => called("read_file", { success: true, content }));
    const { data } = taskEvents.agentStep(step(...calls));
    expect(data.length).toBeLessThan(700_000);
    expect(JSON.parse(data).data.tool_results[0]).toEqual({
      success: true,
      tool: "read_file",
      result: { content },
    });
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
  const [complete, done] = taskEvents.endingEvents(ended, usage).map(bodyOf);
  expect(complete).toMatchObject({
    type: "complete",
    status: "completed",
    response: "Done.",
    data: { success: true, final_response: "Done.", session_id: "chat", usage: { output_tokens: 2 } },
  });
  expect(done).toMatchObject({ type: "done", status: "completed", response: "Done." });
});
