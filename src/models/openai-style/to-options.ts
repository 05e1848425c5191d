import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
import type { AnswerFormat, AnswerOptions } from "../model.ts";

type Body = Partial<ChatCompletionCreateParamsStreaming>;

/**
 * Converts answer options to this API; absent options are omitted. Source:
 * https://platform.openai.com/docs/api-reference/chat/create
 */
export function toOptions(options: AnswerOptions): Body {
  const { temperature, topP, stop, seed, frequencyPenalty, presencePenalty, format } = options;
  return {
    ...toPlain(options.openAi),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(stop !== undefined && stop.length > 0 && { stop: [...stop] }),
    ...(seed !== undefined && { seed }),
    ...(frequencyPenalty !== undefined && { frequency_penalty: frequencyPenalty }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
    ...(format !== undefined && { response_format: toFormat(format) }),
  };
}

/** The provider checks values that only later models know. */
function toPlain(fields: AnswerOptions["openAi"] = {}): Body {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The SDK names the values of its own day.
  return fields as Body;
}

/** Converts the tool options; the API refuses them without tools. */
export function toToolOptions({ toolChoice, parallelToolCalls }: AnswerOptions): Body {
  return {
    ...(toolChoice !== undefined && { tool_choice: toToolChoice(toolChoice) }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
  };
}

function toToolChoice(choice: NonNullable<AnswerOptions["toolChoice"]>) {
  return typeof choice === "string"
    ? choice
    : ({ type: "function", function: { name: choice.name } } as const);
}

function toFormat(format: AnswerFormat) {
  if (format.type === "json_object") return format;
  const { type, ...schema } = format;
  return { type, json_schema: schema };
}
