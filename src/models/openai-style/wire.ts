import { z } from "zod";

/*
 * Chat completions, with only the fields that are read; every field may be absent or null, because compatible
 * servers differ. Source: https://platform.openai.com/docs/api-reference/chat-streaming
 */

/** A number that some servers send as text, and the reverse. */
const count = z.union([z.number(), z.string().regex(/^\d+$/u).transform(Number)]);
const text = z.union([z.string(), z.number().transform(String)]);

const CalledFunction = z.object({
  name: z.string().nullish(),
  /** A JSON text; some servers send the object itself. */
  arguments: z
    .union([z.string(), z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value))])
    .nullish(),
});

const ToolCallPart = z.object({
  index: count.nullish().catch(undefined),
  id: text.nullish(),
  function: CalledFunction.nullish(),
  /** Gemini's signature of a call. */
  extra_content: z.unknown().optional(),
});
export type ToolCallPart = z.infer<typeof ToolCallPart>;

/** A part of a content that is a list, as Mistral sends it. Source: https://docs.mistral.ai/capabilities/reasoning/ */
const ContentPart = z.object({
  type: z.string().nullish(),
  text: z.string().nullish().catch(undefined),
  thinking: z
    .union([
      z.string().transform((thought) => [{ text: thought }]),
      z.array(z.object({ text: z.string().nullish() })),
    ])
    .nullish()
    .catch(undefined),
});

const Message = z
  .object({
    content: z
      .union([z.string(), z.array(z.union([ContentPart, z.string().transform((each) => ({ text: each }))]))])
      .nullish(),
    /** Stands in place of the content. Source: https://platform.openai.com/docs/guides/structured-outputs#refusals */
    refusal: z.string().nullish().catch(undefined),
    tool_calls: z.array(ToolCallPart).nullish(),
    /** The predecessor of `tool_calls`. */
    function_call: CalledFunction.nullish(),
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

const Usage = z
  .object({
    prompt_tokens: tokens,
    completion_tokens: tokens,
    prompt_tokens_details: z
      .object({ cached_tokens: tokens, cache_write_tokens: tokens })
      .catch({})
      .nullish(),
    /** DeepSeek's name of the cached tokens. Source: https://api-docs.deepseek.com/guides/kv_cache */
    prompt_cache_hit_tokens: tokens,
  })
  .catch({})
  .nullish();
export type Usage = z.infer<typeof Usage>;

const index = count.nullish().catch(undefined);

export const Chunk = z.object({
  choices: z.array(z.object({ index, delta: Message, finish_reason: finishReason })).nullish(),
  usage: Usage,
});
export type Chunk = z.infer<typeof Chunk>;

/** The response of a server that does not stream even when asked to. */
export const Completion = z.object({
  choices: z.array(z.object({ index, message: Message, finish_reason: finishReason })).nullish(),
  usage: Usage,
});
