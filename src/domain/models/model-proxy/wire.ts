import { z } from "zod";

/*
 * Chat completions as clients of OpenAI's API request them: fields that are passed on, and fields that are refused
 * because the answer would differ from the request. All other fields are ignored. Source:
 * https://platform.openai.com/docs/api-reference/chat/create
 */

const Part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  refusal: z.string().optional(),
  image_url: z
    .union([
      z.string(),
      z.object({ url: z.string(), detail: z.enum(["auto", "low", "high"]).nullish().catch(undefined) }),
    ])
    .optional(),
});
export type Part = z.output<typeof Part>;

const ToolCall = z.object({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const Message = z.object({
  role: z.enum(["system", "developer", "user", "assistant", "tool"]),
  content: z.union([z.string(), z.array(Part)]).nullish(),
  name: z.string().max(64).nullish(),
  tool_calls: z.array(ToolCall).nullish(),
  tool_call_id: z.string().nullish(),
});
export type Message = z.output<typeof Message>;

const JsonSchema = z.record(z.string(), z.unknown());

const Tool = z.object({
  type: z.literal("function"),
  function: z.object({
    name: z.string().min(1),
    description: z.string().nullish(),
    parameters: JsonSchema.nullish(),
    strict: z.boolean().nullish(),
  }),
});

const ToolChoice = z.union([
  z.enum(["auto", "none", "required"]),
  z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) }),
]);

const ResponseFormat = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text") }),
  z.object({ type: z.literal("json_object") }),
  z.object({
    type: z.literal("json_schema"),
    json_schema: z.object({
      name: z.string(),
      description: z.string().nullish(),
      schema: JsonSchema,
      strict: z.boolean().nullish(),
    }),
  }),
]);

const tokens = z.int().min(1).max(10_000_000).nullish();
const penalty = z.number().min(-2).max(2).nullish();

const unserved = z
  .unknown()
  .optional()
  .describe("Not supported: refused unless it asks for nothing, as null, false or an empty list does");

/** Fields of OpenAI's API that this one does not support. */
export const UNSERVED = [
  "audio",
  "function_call",
  "functions",
  "logprobs",
  "modalities",
  "top_logprobs",
  "web_search_options",
] as const;

export const CompletionBody = z.object({
  messages: z.array(Message).min(1, "must not be empty"),
  stream: z
    .boolean()
    .nullish()
    .describe("When absent, the answer is streamed unless `Accept` asks for `application/json`"),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_tokens: tokens,
  max_completion_tokens: tokens,
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  seed: z.int().nullish(),
  frequency_penalty: penalty,
  presence_penalty: penalty,
  response_format: ResponseFormat.nullish(),
  tools: z.array(Tool).nullish(),
  tool_choice: ToolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  n: z.int().min(1).max(1, "must be 1").nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish().describe("For models on OpenAI's protocol"),
  reasoning_effort: z.string().max(20).nullish().describe("For models on OpenAI's protocol"),
  verbosity: z.string().max(20).nullish().describe("For models on OpenAI's protocol"),
  audio: unserved,
  function_call: unserved,
  functions: unserved,
  logprobs: unserved,
  modalities: unserved,
  top_logprobs: unserved,
  web_search_options: unserved,
});
export type CompletionBody = z.output<typeof CompletionBody>;
