import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import type { AnswerOptions } from "../model.ts";

type Body = Partial<MessageCreateParamsStreaming>;

/** Highest temperature of this API. Source: https://docs.anthropic.com/en/api/messages */
const MAX_TEMPERATURE = 1;

/** Instruction for `json_object`: this API supports only answers of a schema. */
export const JSON_ONLY =
  "Answer with one JSON object and nothing else: no text before or after it, no code fence.";

/** Converts answer options to this API, which has no seeds and penalties. */
export function toOptions({ temperature, topP, stop, format }: AnswerOptions): Body {
  // The API refuses stop sequences of only white space.
  const sequences = (stop ?? []).filter((sequence) => sequence.trim() !== "");
  return {
    ...(temperature !== undefined && { temperature: Math.min(MAX_TEMPERATURE, temperature) }),
    ...(topP !== undefined && { top_p: topP }),
    ...(sequences.length > 0 && { stop_sequences: sequences }),
    // https://docs.anthropic.com/en/docs/build-with-claude/structured-outputs
    ...(format?.type === "json_schema" && {
      output_config: { format: { type: "json_schema", schema: format.schema } },
    }),
  };
}

/** Converts the tool choice; the API refuses it without tools. Serial calls are a property of the choice here. */
export function toToolChoice({ toolChoice, parallelToolCalls }: AnswerOptions): Body {
  if (toolChoice === "none") return { tool_choice: { type: "none" } };
  const single = parallelToolCalls === false && { disable_parallel_tool_use: true };
  if (toolChoice === undefined || toolChoice === "auto") {
    return single ? { tool_choice: { type: "auto", ...single } } : {};
  }
  if (toolChoice === "required") return { tool_choice: { type: "any", ...single } };
  return { tool_choice: { type: "tool", name: toolChoice.name, ...single } };
}
