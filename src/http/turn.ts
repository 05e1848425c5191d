import { z } from "zod";

/** Query of endpoints that show turns. */
export const ResultsQuery = z.object({
  results: z
    .enum(["whole", "short"])
    .optional()
    .describe(
      "`short` cuts tool parameters and results of more than 2,000 characters: each text to 2,000, each list to what fits. A call that is cut has `truncated`",
    ),
});

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
        truncated: z
          .literal(true)
          .optional()
          .describe("With `results=short`: parameters or result are cut; the step alone has them whole"),
        parameters_characters: z.int().optional().describe("Of the whole parameters, if they are cut"),
        result_characters: z.int().optional().describe("Of the whole result, if it is cut"),
      }),
    ),
    response_text: z.string(),
    is_complete: z.boolean(),
    timestamp: z.string(),
  })
  .meta({ id: "ChatStep" });
