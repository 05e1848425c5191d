import { z } from "zod";

const DEFAULT_OUTPUT_TOKENS = 4_096;
const MAX_OUTPUT_TOKENS = 16_384;

/** The shell session of the call. */
export const sessionField = {
  session_id: z.string().min(1).describe("The shell, as shell_open named it"),
};

/** How much of its output is shown. */
export const outputField = {
  max_output_tokens: z
    .number()
    .int()
    .min(1)
    .max(MAX_OUTPUT_TOKENS)
    .default(DEFAULT_OUTPUT_TOKENS)
    .describe("Most output to show; of more, the beginning and the end"),
};
