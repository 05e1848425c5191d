import { z } from "zod";

/*
 * Chat completions, with only the fields that are read; every field may be absent or null, because compatible
 * servers differ. Source: https://platform.openai.com/docs/api-reference/chat-streaming
 */

const ToolCallPart = z.object({
  index: z.number().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
  /** Gemini's signature of a call. */
  extra_content: z.unknown().optional(),
});
export type ToolCallPart = z.infer<typeof ToolCallPart>;

const Message = z
  .object({
    content: z.string().nullish(),
    tool_calls: z.array(ToolCallPart).nullish(),
    /** The model's thinking, under the name used by DeepSeek, vLLM and others, or that of OpenRouter and Groq. */
    reasoning_content: z.string().nullish().catch(undefined),
    reasoning: z.string().nullish().catch(undefined),
    reasoning_details: z.array(z.unknown()).nullish().catch(undefined),
  })
  .nullish();
export type Delta = z.infer<typeof Message>;
const finishReason = z.string().nullish();

/** An invalid count is ignored: the answer that contains it is still valid. */
const tokens = z.number().catch(0).nullish();

const Usage = z.object({
  prompt_tokens: tokens,
  completion_tokens: tokens,
  prompt_tokens_details: z.object({ cached_tokens: tokens, cache_write_tokens: tokens }).catch({}).nullish(),
});
export type Usage = z.infer<typeof Usage>;

export const Chunk = z.object({
  choices: z.array(z.object({ delta: Message, finish_reason: finishReason })).nullish(),
  usage: Usage.catch({}).nullish(),
});
export type Chunk = z.infer<typeof Chunk>;

/** The response of a server that does not stream even when asked to. */
export const Completion = z.object({
  choices: z.array(z.object({ message: Message, finish_reason: finishReason })).nullish(),
  usage: Usage.catch({}).nullish(),
  error: z.unknown().optional(),
});

export const ErrorBody = z.object({
  message: z.string().nullish().catch(undefined),
  type: z.string().nullish().catch(undefined),
  code: z.union([z.string(), z.number()]).nullish().catch(undefined),
});
