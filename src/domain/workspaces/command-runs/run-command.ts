import type { Caller } from "#src/domain/access/permissions/index.ts";
import { withWritableRuntime, type WakeDeps } from "#src/domain/workspaces/lifecycle/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { normalizeDirectory } from "#src/lib/project-path.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { RateLimits } from "#src/domain/operations/limits/index.ts";
import type { ExecResult } from "#src/platform/runtime/project-commands.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { insertRun } from "./queries.ts";
import { riskLevel, type RiskLevel } from "./risk-level.ts";

export interface CommandInput {
  /** Id or slug. */
  project: string;
  command: string;
  /** Relative to the project's root. */
  workingDir: string;
  timeoutSeconds: number;
  /** Only report what would be run; run nothing. */
  dryRun: boolean;
  signal?: AbortSignal;
  /** Called when the command is handed to the project. From then on the command may have run, also if the call fails. */
  onBegun?: () => void;
}

export interface CommandOutcome {
  id: string;
  riskLevel: RiskLevel;
  durationMs: number;
  /** Absent after a dry run and after a failure. */
  result?: ExecResult;
  /** The command had begun, and its result is unknown. */
  failure?: AppError;
}

/**
 * Runs one command in a project and records it in the history, also when it had begun and its result is unknown. Throws as
 * `withRuntime` does, and `rate_limited` for a person who runs too many.
 */
export async function runCommand(
  deps: WakeDeps & {
    workspaces: Pick<ProjectWorkspaces, "runtime">;
    rateLimits: Pick<RateLimits, "take">;
    log: Log;
  },
  caller: Caller,
  input: CommandInput,
): Promise<CommandOutcome> {
  const { command, dryRun } = input;
  const workingDir = normalizeDirectory(input.workingDir);
  const project = await requireProject(deps, caller, input.project, "terminal.access");
  await requireTurn(deps, caller.userId);
  const started = Date.now();
  const ended = dryRun ? {} : await run(deps, caller, { ...input, project: project.id, workingDir });
  const noted = { id: newId(), riskLevel: riskLevel(command), durationMs: Date.now() - started };
  const { exitCode = null } = ended.result ?? {};
  try {
    await insertRun(deps.db, {
      ...noted,
      projectId: project.id,
      userId: caller.userId,
      command,
      workingDir,
      dryRun,
      success: dryRun || exitCode === 0,
      exitCode,
    });
  } catch (cause) {
    // The command has run, so its result is returned although recording it failed.
    deps.log.error("a command was not recorded in the history", { project_id: project.id, cause });
  }
  return { ...noted, ...ended };
}

async function run(
  deps: Parameters<typeof withWritableRuntime>[0],
  caller: Caller,
  { project, command, workingDir, timeoutSeconds, signal, onBegun }: CommandInput,
): Promise<Pick<CommandOutcome, "result" | "failure">> {
  let hasBegun = false;
  try {
    const result = await withWritableRuntime(
      deps,
      { caller, project, scope: "terminal.access" },
      (runtime) => {
        hasBegun = true;
        onBegun?.();
        const limits = { timeoutMs: timeoutSeconds * 1000, ...(signal && { signal }) };
        return runtime.exec(command, { cwd: workingDir, ...limits });
      },
    );
    return { result };
  } catch (error) {
    if (hasBegun && error instanceof AppError && error.code === "unavailable") return { failure: error };
    throw error;
  }
}

async function requireTurn({ rateLimits }: { rateLimits: Pick<RateLimits, "take"> }, userId: string) {
  const decision = await rateLimits.take("command", userId);
  if (decision?.allowed === false) {
    const { retryAfterSeconds } = decision;
    throw new AppError("rate_limited", "Too many commands: try again later", { retryAfterSeconds });
  }
}
