import { z } from "zod";
import type { ModelCall } from "#src/domain/usage/index.ts";

/** One turn of the agent loop as it is stored and shown: what a later turn, and a later executor, builds on. */
export const StepData = z.object({
  iteration: z.number().int(),
  /** What the model thought; where its provider does not show that, what it said before its calls. */
  thought: z.string().nullable(),
  response_text: z.string(),
  tool_calls: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      /** As the model wrote them; not always valid JSON. */
      arguments: z.string(),
      /** The arguments as an object; `{}` where they are none. */
      parameters: z.record(z.string(), z.unknown()),
      result: z.object({ success: z.boolean() }).loose(),
      /** What the model was shown of the result. */
      model_text: z.string(),
    }),
  ),
  is_complete: z.boolean(),
  timestamp: z.string(),
  /** What the model gets back with the turn, encrypted; forgotten with the end of the task. */
  kept: z.string().nullish(),
  /** Tokens of the turn's model call. */
  usage: z.object({
    inputTokens: z.int(),
    outputTokens: z.int(),
    cachedInputTokens: z.int(),
    cacheWriteTokens: z.int(),
  }),
});

export type StepData = z.infer<typeof StepData>;
export type StepToolCall = StepData["tool_calls"][number];

/** What an executor writes of a task: under its generation, how far the task is and the turn that is not stored yet. */
export interface Checkpoint {
  taskId: string;
  generation: number;
  iterations: number;
  toolCalls: number;
  step: StepData | undefined;
  /** The turn's model call. */
  call: ModelCall | undefined;
}

/** What the model is told of a chat's messages up to one, from the next task on, in their place. */
export interface ChatAccount {
  summary: string;
  /** Sequence number of the last message that it tells of. */
  through: number;
}
