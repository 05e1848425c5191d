import type { Caller } from "#src/domain/organisations/access/index.ts";
import { withWritableRuntime, type WakeDeps } from "#src/domain/workspaces/lifecycle/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { normalizeDirectory } from "#src/lib/project-path.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { RateLimits } from "#src/platform/objects/rate-limits.ts";
import type { ExecResult } from "#src/platform/runtime/project-commands.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { insertRun } from "./queries.ts";
import { riskLevel, type RiskLevel } from "./risk-level.ts";

export interface CommandWish {
  /** Id or slug. */
  project: string;
  command: string;
  /** Relative to the project's root. */
  workingDir: string;
  timeoutSeconds: number;
  /** Only report what would be run; run nothing. */
  dryRun: boolean;
  signal?: AbortSignal;
}

export interface CommandOutcome {
  id: string;
  riskLevel: RiskLevel;
  durationMs: number;
  /** Absent after a dry run. */
  result?: ExecResult;
}

/**
 * Runs one command in a project and records it in the history. Throws as `withRuntime` does, and `rate_limited` for a
 * person who runs too many.
 */
export async function runCommand(
  deps: WakeDeps & {
    workspaces: Pick<ProjectWorkspaces, "runtime">;
    rateLimits: Pick<RateLimits, "take">;
    log: Log;
  },
  caller: Caller,
  wish: CommandWish,
): Promise<CommandOutcome> {
  const { command, dryRun } = wish;
  const workingDir = normalizeDirectory(wish.workingDir);
  const project = await requireProject(deps, caller, wish.project, "terminal.access");
  await requireTurn(deps, caller.userId);
  const started = Date.now();
  const result = dryRun ? undefined : await run(deps, caller, { ...wish, project: project.id, workingDir });
  const noted = { id: newId(), riskLevel: riskLevel(command), durationMs: Date.now() - started };
  const { exitCode = null } = result ?? {};
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
  return { ...noted, ...(result && { result }) };
}

function run(
  deps: Parameters<typeof withWritableRuntime>[0],
  caller: Caller,
  { project, command, workingDir, timeoutSeconds, signal }: CommandWish,
): Promise<ExecResult> {
  return withWritableRuntime(deps, { caller, project, scope: "terminal.access" }, (runtime) =>
    runtime.exec(command, { cwd: workingDir, timeoutMs: timeoutSeconds * 1000, ...(signal && { signal }) }),
  );
}

async function requireTurn({ rateLimits }: { rateLimits: Pick<RateLimits, "take"> }, userId: string) {
  const decision = await rateLimits.take("command", userId);
  if (decision?.allowed === false) {
    const { retryAfterSeconds } = decision;
    throw new AppError("rate_limited", "Too many commands: try again later", { retryAfterSeconds });
  }
}
