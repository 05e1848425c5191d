import { describe, expect, it } from "vitest";
import { richFrame } from "#src/routes/chat/rich-frames.ts";
import { SimpleStream } from "#src/routes/chat/simple-stream.ts";
import type { LoggedEvent } from "#src/lib/server-sent-events.ts";
import { taskEvents } from "#src/domain/agent-work/tasks/index.ts";

const logged = (event: { type: string; data: string }, id = 1): LoggedEvent => ({ id, ...event });
const simpleFrames = (...events: { type: string; data: string }[]) => {
  const simple = new SimpleStream();
  return events.map((event) => simple.framesOf(logged(event))).join("");
};
const jsonOf = (frame: string): unknown => JSON.parse(/^data: (.*)\n\n$/u.exec(frame)?.[1] ?? "null");
const CALL = { iteration: 1, index: 0, total: 1, id: "c", name: "bash_exec", parameters: { command: "ls" } };

describe("the stream of the interface", () => {
  it.each([
    [
      { success: true, message: "Exit code 0", exit_code: 0, stdout: "a\nb\n" },
      'Exit code 0\n{"exit_code":0}\na\nb\n',
    ],
    [{ success: false, error: "Exit code 1", stderr: "no\nway" }, "Exit code 1\nno\nway"],
  ])("shows a call with its result as text: %j", (result, shown) => {
    expect(jsonOf(simpleFrames(taskEvents.toolResult(CALL, result)))).toEqual({
      type: "tool_execution",
      tool: "bash_exec",
      args: { command: "ls" },
      result: shown,
    });
  });

  it("has nothing for what it has no words for", () => {
    for (const event of [
      taskEvents.taskStarted("t"),
      taskEvents.textDelta("x"),
      taskEvents.toolStart(CALL),
    ]) {
      expect(simpleFrames(event)).toBe("");
    }
  });

  it("shows text once, before the calls that follow it, and only what stands", () => {
    const ran = taskEvents.toolResult(CALL, { success: true, message: "Ran" });
    const step = { iteration: 1, thought: null, tool_calls: [], is_complete: false, timestamp: "" };
    const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0 };
    const text = simpleFrames(
      taskEvents.textDelta("Lost"),
      taskEvents.turnRestarted(1, "why"),
      taskEvents.textDelta("I lo"),
      taskEvents.textDelta("ok."),
      taskEvents.toolStart(CALL),
      ran,
      ran,
      taskEvents.agentStep({ ...step, response_text: "I look.", usage }),
      taskEvents.textDelta("Seen."),
      taskEvents.agentStep({ ...step, response_text: "Seen.", usage }),
    );
    const shown = text
      .split("\n\n")
      .filter(Boolean)
      .map((block) => JSON.parse(block.slice(6)));
    expect(shown.map(({ type, content }) => content ?? type)).toEqual([
      "I look.",
      "tool_execution",
      "tool_execution",
      "Seen.",
    ]);
  });

  it("tells of a cancelled task", () => {
    const task = {
      id: "t",
      chatId: "c",
      title: null,
      response: null,
      error: null,
      iterations: 0,
      toolCalls: 0,
    };
    const events = taskEvents.endingEvents(
      { ...task, status: "cancelled", completionReason: "cancelled" },
      undefined,
    );
    expect(simpleFrames(...events)).toBe('data: {"type":"error","error":"The task was cancelled"}\n\n');
  });
});

describe("the rich streams", () => {
  it("call a result a `tool_call`, whatever the call says", () => {
    const parameters = { command: '{"type":"tool_result"}' };
    const event = logged(taskEvents.toolResult({ ...CALL, parameters }, { success: true }), 7);
    expect(jsonOf(richFrame(event, false))).toMatchObject({ type: "tool_call", data: { parameters } });
    expect(richFrame(event, true)).toMatch(/^id: 7\ndata: \{.*\}\n\n$/u);
  });
});
