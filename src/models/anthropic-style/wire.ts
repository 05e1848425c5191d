import { z } from "zod";
import { THINKING_BLOCKS } from "./answer-order.ts";

/*
 * Anthropic's stream events, with only the fields that are read; unknown kinds of events, blocks and deltas are
 * ignored, as its versioning policy requires. Source: https://docs.anthropic.com/en/docs/build-with-claude/streaming
 */

/** An invalid count is ignored: the answer that contains it is still valid. */
const tokens = z.number().catch(0).nullish();

const Usage = z
  .object({
    input_tokens: tokens,
    output_tokens: tokens,
    cache_read_input_tokens: tokens,
    cache_creation_input_tokens: tokens,
  })
  .catch({})
  .nullish();
export type Usage = z.infer<typeof Usage>;

/** A number that some servers send as text. */
const index = z.union([z.number(), z.string().regex(/^\d+$/u).transform(Number)]);

const ToolUse = z.object({
  type: z.literal("tool_use"),
  id: z.union([z.string(), z.number().transform(String)]).nullish(),
  name: z.string().nullish(),
  input: z.unknown().optional(),
});

/** A piece of JSON text; some servers send the object itself. */
const json = z.union([
  z.string(),
  z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value)),
]);

export const StreamEvent = z.union([
  z.discriminatedUnion("type", [
    z.object({ type: z.literal("message_start"), message: z.object({ usage: Usage }) }),
    z.object({
      type: z.literal("content_block_start"),
      index,
      content_block: z.union([
        ToolUse,
        z.object({ type: z.literal("text"), text: z.string() }),
        ...THINKING_BLOCKS,
        unknownKind(["tool_use", "text", "thinking", "redacted_thinking"]),
      ]),
    }),
    z.object({
      type: z.literal("content_block_delta"),
      index,
      delta: z.union([
        z.object({ type: z.literal("text_delta"), text: z.string() }),
        z.object({ type: z.literal("input_json_delta"), partial_json: json }),
        z.object({ type: z.literal("thinking_delta"), thinking: z.string() }),
        z.object({ type: z.literal("signature_delta"), signature: z.string() }),
        unknownKind(["text_delta", "input_json_delta", "thinking_delta", "signature_delta"]),
      ]),
    }),
    z.object({
      type: z.literal("message_delta"),
      delta: z.object({ stop_reason: z.string().nullish() }),
      usage: Usage,
    }),
    z.object({ type: z.literal("message_stop") }),
  ]),
  unknownKind([
    "message_start",
    "content_block_start",
    "content_block_delta",
    "message_delta",
    "message_stop",
  ]),
]);
export type StreamEvent = z.infer<typeof StreamEvent>;

/** Matches objects of none of the known kinds; a known kind with a wrong shape stays an error. */
function unknownKind(known: readonly string[]) {
  return z
    .object({ type: z.string().refine((type) => !known.includes(type)) })
    .transform(() => ({ type: "unknown" as const }));
}
