import { z } from "zod";
import { runCommand } from "#src/domain/workspaces/command-runs/index.ts";
import { text } from "#src/http/schemas.ts";
import { boundOutput } from "#src/shell/bound-output.ts";
import { defineTool } from "../tool.ts";
import { ProjectId } from "./projects.ts";

/** Most characters of each output stream. */
const MAX_OUTPUT = 50_000;

export const runProjectCommand = defineTool({
  name: "run_project_command",
  title: "Run a command in a project",
  description:
    "Runs one command in a project by its shell, and returns its output and its exit code. The command ends with the call. For longer work, start a task.",
  scope: "terminal.access",
  input: z.object({
    project_id: ProjectId,
    command: text({ min: 1, max: 1_000 }),
    working_dir: text({ max: 1_000 }).default(".").describe("Directory from the project's root"),
    timeout_seconds: z.number().int().min(1).max(300).default(50),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  async run({ services, caller, signal, waitUntil }, input) {
    const { project_id, command, working_dir: workingDir, timeout_seconds: timeoutSeconds } = input;
    const project = { project: project_id, command, workingDir, timeoutSeconds, dryRun: false };
    const running = runCommand(services, caller, { ...project, signal });
    // Records the end of a command whose caller is gone.
    waitUntil(running.catch(() => undefined));
    const { result, failure, durationMs } = await running;
    if (!result) throw failure ?? new Error("A command has neither a result nor a failure");
    return {
      project_id,
      command,
      output: boundOutput(result.stdout, MAX_OUTPUT),
      stderr: boundOutput(result.stderr, MAX_OUTPUT),
      exit_code: result.exitCode,
      timed_out: result.timedOut,
      duration_ms: durationMs,
    };
  },
});
