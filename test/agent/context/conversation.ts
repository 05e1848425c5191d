import { expect } from "vitest";
import type { Turn } from "#src/domain/agent-work/tasks/index.ts";
import { toRequest as toAnthropic } from "#src/models/anthropic-style/to-request.ts";
import type { ModelMessage } from "#src/models/model.ts";
import { toRequest as toOpenAi } from "#src/models/openai-style/to-request.ts";

/** A turn with a call for each result. */
export function turn(
  iteration: number,
  results: readonly string[],
  { text = `said ${iteration}`, inputTokens = 0 } = {},
): Turn {
  return {
    iteration,
    thought: null,
    response_text: text,
    tool_calls: results.map((result, position) => ({
      id: `call_${iteration}_${position}`,
      name: "bash_exec",
      arguments: JSON.stringify({ command: `make part-${iteration}-${position}` }),
      parameters: {},
      result: { success: position % 3 !== 2 },
      model_text: result,
    })),
    is_complete: false,
    timestamp: "2026-01-01T00:00:00.000Z",
    usage: { inputTokens, outputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0 },
  };
}

/** The iterations that a transcript of `turn`s shows. */
export function shownTurns(messages: readonly ModelMessage[]): number[] {
  return messages.flatMap((message) => {
    const said = message.role === "assistant" && /^said (\d+)\b/.exec(message.content);
    return said ? [Number(said[1])] : [];
  });
}

/** A conversation that both wires take: every call has its result, in the place the wire wants it, and no result is alone. */
export function expectValid(messages: readonly ModelMessage[]): void {
  const request = { system: "s", tools: [], messages };
  expectValidOpenAi(toOpenAi("m", request, "max_tokens").messages.slice(1));
  expectValidAnthropic(toAnthropic("claude-sonnet-5-5", request).messages);
}

function expectValidOpenAi(messages: ReturnType<typeof toOpenAi>["messages"]): void {
  let open: string[] = [];
  for (const [position, message] of messages.entries()) {
    if (message.role === "user")
      expect(messages[position - 1]?.role, "two of the user in a row").not.toBe("user");
    if (message.role === "tool") {
      expect(open).toContain(message.tool_call_id);
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    expect(open, "calls without results").toEqual([]);
    if (message.role === "assistant") open = (message.tool_calls ?? []).map(({ id }) => id);
  }
  expect(open, "calls without results").toEqual([]);
}

function expectValidAnthropic(turns: ReturnType<typeof toAnthropic>["messages"]): void {
  expect(turns[0]?.role).toBe("user");
  expect(turns.at(-1)?.role).toBe("user");
  let open: string[] = [];
  for (const [position, { role, content }] of turns.entries()) {
    expect(role).toBe(position % 2 === 0 ? "user" : "assistant");
    const blocks = typeof content === "string" ? [] : content;
    expect(blocks.length).toBeGreaterThan(0);
    const results = blocks.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
    expect(results.toSorted()).toEqual(open.toSorted());
    open = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  }
}
