import { z } from "zod";

/** A turn of a task as people see it, without fields that only executors and models need. */
export const ShownTurn = z
  .object({
    iteration: z.int(),
    thought: z
      .string()
      .nullable()
      .describe("The model's reasoning. When reasoning is not shown, the text before its tool calls"),
    tool_calls: z.array(
      z.object({
        name: z.string(),
        parameters: z.record(z.string(), z.unknown()),
        result: z.record(z.string(), z.unknown()),
      }),
    ),
    response_text: z.string(),
    is_complete: z.boolean(),
    timestamp: z.string(),
  })
  .meta({ id: "ChatStep" });
