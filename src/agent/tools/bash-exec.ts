import { z } from "zod";
import { toProjectPath } from "./project-path.ts";
import { defineTool, failure } from "./tool.ts";

const DEFAULT_TIMEOUT_SECONDS = 120;
const MAX_TIMEOUT_SECONDS = 600;

export const bashExec = defineTool({
  name: "bash_exec",
  description:
    "Run a shell command in the project and wait for its end. Use it to build, to run and to check your work. " +
    "Each call is a new shell: nothing but files is kept between calls. There is no terminal: a command that asks " +
    "questions fails or hangs until its timeout.",
  parameters: z.object({
    command: z.string().min(1).describe("The command line, as for bash -c"),
    timeout: z
      .number()
      .positive()
      .max(MAX_TIMEOUT_SECONDS)
      .default(DEFAULT_TIMEOUT_SECONDS)
      .describe("Seconds after which the command is ended"),
    timeout_ms: z
      .number()
      .int()
      .positive()
      .max(MAX_TIMEOUT_SECONDS * 1000)
      .optional()
      .describe("The same in milliseconds; takes precedence over timeout"),
    cwd: z
      .string()
      .optional()
      .describe("Directory to run in, relative to the project root; the root by default"),
    env: z.record(z.string(), z.string()).optional().describe("Environment variables to add"),
  }),
  effect: "other",
  dangerous: true,
  runsInPlan: true,
  scope: "terminal.access",
  async run({ command, timeout, timeout_ms, cwd, env }, { runtime, readOnly, signal }) {
    const timeoutMs = timeout_ms ?? Math.ceil(timeout * 1000);
    const directory = cwd === undefined ? "" : toProjectPath(cwd);
    const { stdout, stderr, exitCode, timedOut } = await runtime.exec(command, {
      timeoutMs,
      signal,
      ...(readOnly && { readOnly }),
      ...(directory === "" ? {} : { cwd: directory }),
      ...(env === undefined ? {} : { env }),
    });
    const fields = { exit_code: exitCode, timed_out: timedOut, stdout, stderr };
    if (timedOut) {
      const suggestion = `What it did until then stays done. Allow up to ${MAX_TIMEOUT_SECONDS} s, or split the work.`;
      return failure(`The command was ended after ${timeoutMs / 1000} s.`, suggestion, fields);
    }
    if (exitCode !== 0) return failure(`The command failed with exit code ${exitCode}.`, undefined, fields);
    return { success: true, message: "The command succeeded.", ...fields };
  },
});
