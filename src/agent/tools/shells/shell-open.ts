import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { defineTool, failure } from "../tool.ts";

export const shellOpen = defineTool({
  name: "shell_open",
  description:
    "Open a shell that stays open between calls: it keeps its directory and variables, and can hold a program that goes on " +
    "running or asks questions. The user sees it too. Use bash_exec for single commands; close what you no longer need.",
  parameters: z.object({
    command: z.string().trim().min(1).max(1_000).default("/bin/sh").describe("The program to run in it"),
    container: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("Name of a container whose directory it starts in; the project root by default"),
  }),
  effect: "other",
  scope: "terminal.access",
  dangerous: true,
  async run({ command, container }, { shells }) {
    try {
      const id = await shells.open({ command, container });
      return { success: true, message: "The shell is open: type into it with shell_exec.", session_id: id };
    } catch (error) {
      // The only schema-valid request that is refused is one for a project that does not run.
      if (!(error instanceof AppError) || error.code !== "invalid_input") throw error;
      const suggestion =
        "Use bash_exec, which needs no running project, or ask the user to start the project.";
      return failure(`${error.message}.`, suggestion, { details: { next_tool: "bash_exec" } });
    }
  },
});
