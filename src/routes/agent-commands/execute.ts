import { z } from "zod";
import { runCommand } from "#src/domain/workspaces/command-runs/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";

/** `text` is a command's output, which the runtime truncates. */
const Outcome = z.object({
  success: z.boolean(),
  command: z.string(),
  stdout: z.string(),
  stderr: z.string(),
  exit_code: z.number().int().nullable().describe("Null after a dry run"),
  duration_ms: z.number().int(),
  risk_level: z
    .enum(["safe", "moderate", "high"])
    .describe("A hint derived from the text of the command. Commands are never refused because of it"),
  dry_run: z.boolean(),
  command_id: z.uuid(),
  message: z.string(),
});

export const executeCommand = endpoint({
  operationId: "executeCommand",
  method: "post",
  path: "/api/agent/execute",
  summary: "Execute a command",
  description:
    "Runs one command in a project. A caller who may use the project's terminals may run any command.",
  tag: "Commands",
  access: { userOrKey: "terminal.access" },
  example: { project_id: "3f0c6c1e-8a53-4b52-9a57-1f2d7c9e4b10", command: "ls" },
  body: z.object({
    project_id: text({ min: 1, max: 100 }).describe("Id or slug of the project"),
    command: text({ min: 1, max: 1_000 }),
    working_dir: text({ max: 1_000 }).default(".").describe("Relative to the project's root"),
    timeout: z.number().int().min(1).max(300).default(60).describe("Seconds"),
    dry_run: z.boolean().default(false).describe("Only classify the command, and run nothing"),
  }),
  refusals: [400, 404, 409, 503],
  response: { status: 200, schema: Outcome },
  async handler({ services, caller, body, request }) {
    const { project_id: project, command, working_dir: workingDir, timeout, dry_run: dryRun } = body;
    const { id, riskLevel, durationMs, result } = await runCommand(services, caller, {
      project,
      command,
      workingDir,
      timeoutSeconds: timeout,
      dryRun,
      signal: request.signal,
    });
    return {
      success: result ? result.exitCode === 0 : true,
      command,
      stdout: result?.stdout ?? "",
      stderr: result?.stderr ?? "",
      exit_code: result?.exitCode ?? null,
      duration_ms: durationMs,
      risk_level: riskLevel,
      dry_run: dryRun,
      command_id: id,
      message: messageOf(result, timeout),
    };
  },
});

function messageOf(result: { exitCode: number; timedOut: boolean } | undefined, timeout: number): string {
  if (!result) return "The command was not run";
  if (result.timedOut) return `The command was ended after ${timeout} s`;
  return result.exitCode === 0 ? "The command succeeded" : `The command ended with ${result.exitCode}`;
}
