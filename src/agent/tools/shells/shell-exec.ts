import { z } from "zod";
import { defineTool } from "../tool.ts";
import { awaitOutput } from "./await-output.ts";

const DEFAULT_WAIT_SECONDS = 2;
const MAX_WAIT_SECONDS = 60;
const DEFAULT_OUTPUT_TOKENS = 4_096;
const MAX_OUTPUT_TOKENS = 16_384;

export const shellExec = defineTool({
  name: "shell_exec",
  description:
    "Type a command into a shell that shell_open opened, and show what it put out since the last look. A command that takes " +
    "longer than the wait goes on running: look again with write_stdin and empty chars.",
  parameters: z.object({
    session_id: z.string().min(1).describe("The shell, as shell_open named it"),
    command: z.string().max(100_000).describe("What to type; the line end is added"),
    wait_seconds: z
      .number()
      .min(0)
      .max(MAX_WAIT_SECONDS)
      .default(DEFAULT_WAIT_SECONDS)
      .describe("How long to wait for output; less when the program ends"),
    max_output_tokens: z
      .number()
      .int()
      .min(1)
      .max(MAX_OUTPUT_TOKENS)
      .default(DEFAULT_OUTPUT_TOKENS)
      .describe("Most output to show; of more, the beginning and the end"),
  }),
  effect: "other",
  scope: "terminal.access",
  dangerous: true,
  async run({ session_id: id, command, wait_seconds: seconds, max_output_tokens: maxTokens }, context) {
    const { shells, signal } = context;
    await shells.write(id, `${command}\n`);
    const output = await awaitOutput(shells, id, { waitMs: seconds * 1000, maxTokens, signal });
    const { text, bytes, status, exitCode, truncated } = output;
    return {
      success: true,
      message: status === "exited" ? "The shell has ended." : `The shell put out ${bytes} bytes so far.`,
      session_id: id,
      output: text,
      details: { bytes, is_eof: status === "exited", status, exit_code: exitCode, truncated },
    };
  },
});
