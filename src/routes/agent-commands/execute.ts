import { z } from "zod";
import { runCommand } from "#src/domain/workspaces/command-runs/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { patientJson } from "#src/http/patient-json.ts";
import { text } from "#src/http/schemas.ts";

/** `text` is a command's output, which the runtime truncates. */
const Outcome = z.object({
  success: z.boolean(),
  command: z.string(),
  stdout: z.string(),
  stderr: z.string(),
  exit_code: z.number().int().nullable().describe("Null after a dry run, and where the result is unknown"),
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
    "Runs one command in a project. A caller who may use the project's terminals may run any command. The command ends when its caller closes the connection. The response of a longer command begins with spaces; if its environment fails then, `exit_code` is null and `message` says why.",
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
  async handler({ services, caller, body, request, waitUntil }) {
    const { project_id: project, command, working_dir: workingDir, timeout, dry_run: dryRun } = body;
    const hangUp = new AbortController();
    request.signal.addEventListener("abort", () => hangUp.abort(), { once: true });
    const begun = Promise.withResolvers<void>();
    const running = runCommand(services, caller, {
      project,
      command,
      workingDir,
      timeoutSeconds: timeout,
      dryRun,
      signal: hangUp.signal,
      onBegun: begun.resolve,
    });
    // Keeps the end of a command alive whose caller is gone.
    waitUntil(running.catch(() => undefined));
    const answer = running.then(({ failure, ...outcome }) => ({
      failure,
      body: {
        success: !failure && (outcome.result?.exitCode ?? 0) === 0,
        command,
        stdout: outcome.result?.stdout ?? "",
        stderr: outcome.result?.stderr ?? "",
        exit_code: outcome.result?.exitCode ?? null,
        duration_ms: outcome.durationMs,
        risk_level: outcome.riskLevel,
        dry_run: dryRun,
        command_id: outcome.id,
        message: failure?.message ?? messageOf(outcome.result, timeout),
      },
    }));
    const soon = await Promise.race([answer, begun.promise.then(() => pause(SOON_MS))]);
    // The status is sent with the first byte: a later failure is in the body.
    if (!soon)
      return patientJson(
        answer.then((late) => Outcome.parse(late.body)),
        { onGone: () => hangUp.abort() },
      );
    if (soon.failure) throw soon.failure;
    return soon.body;
  },
});

/** How long a command may take before its response begins, so that its caller is known to be there. */
const SOON_MS = 500;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function messageOf(result: { exitCode: number; timedOut: boolean } | undefined, timeout: number): string {
  if (!result) return "The command was not run";
  if (result.timedOut) return `The command was ended after ${timeout} s`;
  return result.exitCode === 0 ? "The command succeeded" : `The command ended with ${result.exitCode}`;
}
