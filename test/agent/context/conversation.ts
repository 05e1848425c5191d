import { expect } from "vitest";
import type { Turn } from "#src/domain/agent-work/tasks/index.ts";
import { toRequest as toAnthropic } from "#src/models/anthropic-style/to-request.ts";
import type { ModelMessage } from "#src/models/model.ts";
import { toRequest as toOpenAi } from "#src/models/openai-style/to-request.ts";
import { refusedByAnthropic } from "#test/support/strict/anthropic.ts";
import { refusedByOpenAi } from "#test/support/strict/openai.ts";

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

/** A conversation that both wires take. */
export function expectValid(messages: readonly ModelMessage[]): void {
  const request = { system: "s", tools: [], messages };
  expect(refusedByOpenAi(toOpenAi("m", request, "max_tokens"))).toBeUndefined();
  const body = toAnthropic("claude-sonnet-5-5", request);
  expect(refusedByAnthropic(body)).toBeUndefined();
  expect(body.messages.at(-1)?.role).toBe("user");
}
