import { z } from "zod";
import type { ModelCall } from "#src/domain/metering/usage/index.ts";

/** One turn of the agent loop as it is stored and shown. Later turns and later executors continue from it. */
export const Turn = z.object({
  iteration: z.number().int(),
  /** The model's reasoning. If its provider does not show it, the text before the calls. */
  thought: z.string().nullable(),
  response_text: z.string(),
  tool_calls: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      /** As the model wrote them; not always valid JSON. */
      arguments: z.string(),
      /** The arguments as an object; `{}` when they are not a JSON object. */
      parameters: z.record(z.string(), z.unknown()),
      result: z.object({ success: z.boolean() }).loose(),
      /** The result as the model saw it. */
      model_text: z.string(),
    }),
  ),
  is_complete: z.boolean(),
  timestamp: z.string(),
  /** Encrypted provider data that is sent back to the model with the turn; deleted at the end of the task. */
  kept: z.string().nullish(),
  /** Tokens of the turn's model call. */
  usage: z.object({
    inputTokens: z.int(),
    outputTokens: z.int(),
    cachedInputTokens: z.int(),
    cacheWriteTokens: z.int(),
  }),
});

export type Turn = z.infer<typeof Turn>;

/** A turn as it is shown: long parameters and results may be cut, with the numbers of characters of the whole. */
export const ShortTurn = Turn.extend({
  tool_calls: z.array(
    Turn.shape.tool_calls.element.extend({
      cut: z.object({ parameters: z.int(), result: z.int() }).partial().optional(),
    }),
  ),
});

export type ShortTurn = z.infer<typeof ShortTurn>;
export type TurnCall = Turn["tool_calls"][number];

/** An executor's write, fenced by its generation: the task's progress and the turn to store. */
export interface TurnWrite {
  taskId: string;
  generation: number;
  iterations: number;
  toolCalls: number;
  turn: Turn | undefined;
  /** The turn's model call. */
  call: ModelCall | undefined;
}

/** The summary that replaces a chat's messages up to one, for the model, from the next task on. */
export interface ChatSummary {
  summary: string;
  /** Sequence number of the last message that it covers. */
  through: number;
}
