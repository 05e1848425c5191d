import { startTask } from "#src/domain/agent-work/tasks/index.ts";
import { callerFor, type Caller } from "#src/domain/access/permissions/index.ts";
import { renderTemplate } from "#src/domain/schedules/expressions/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Attempt, Outcome } from "#src/work/job.ts";
import { endRun } from "./end-run.ts";
import { OVERLAPPED } from "./queries/due.ts";
import { sessionToAsk, type OpenRun } from "./queries/open-run.ts";
import { beginRun, runStarted } from "./queries/progress.ts";
import type { RunDeps } from "./run-deps.ts";

/** A run for whose task there has been no room for so long has failed. */
const PATIENCE_MS = 60 * 60_000;
const NO_ROOM_SECONDS = 60;

/** Waits for the end of a task, or of an earlier run, which stores the job again. The backstop finds what was deleted. */
export const AWAIT_END = { kind: "later", seconds: 300, isBackstop: true } as const satisfies Outcome;

/**
 * Starts the task of a run, unless an earlier run of the schedule is in its way. Idempotent: the task's id was chosen with
 * the run. A schedule whose project, access or credits are gone is paused, and its owner is told. Throws what may not recur.
 */
export async function startRun(
  deps: RunDeps,
  { store }: Pick<Attempt<unknown, unknown>, "store">,
  found: OpenRun,
): Promise<Outcome> {
  if (found.run.status !== "running") {
    const [, { rows }] = await store((isHeld) => beginRun(deps.db, found, isHeld));
    const [begun] = rows;
    if (!begun) return endRun(deps, found, { status: "skipped", error: OVERLAPPED });
    if (begun.status === "waiting") return AWAIT_END;
  }
  try {
    return await startTaskOf(deps, found);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isPatient = Date.now() - found.run.createdAt.getTime() < PATIENCE_MS;
    if (error.code === "rate_limited" && isPatient) return { kind: "later", seconds: NO_ROOM_SECONDS };
    if (error.code !== "rate_limited" && error.retryable) throw error;
    const pause = pauses(error) && found.schedule.isActive ? error.message : undefined;
    return endRun(deps, found, { status: "failed", error: error.message, pause });
  }
}

const KEY_REVOKED = "The API key that the schedule was made with was revoked";

/** What ends a schedule's work for good, or until a person acts. */
class Unreachable extends AppError {}

function pauses(error: AppError): boolean {
  return error instanceof Unreachable || error.code === "insufficient_credits";
}

/** Starts the task of a run that has begun. Throws as `startTask` does, and when the schedule cannot reach its project. */
export async function startTaskOf(deps: RunDeps, found: OpenRun): Promise<Outcome> {
  const { run, schedule } = found;
  const { caller, projectId } = await requireReach(deps, found);
  const isManual = run.scheduledFor === null;
  const sessionId = await sessionToAsk(deps.db, schedule);
  await startTask(deps, {
    taskId: run.taskId,
    userId: schedule.userId,
    apiKeyId: caller.kind === "key" ? caller.keyId : null,
    scopes: caller.kind === "key" ? caller.scopes : null,
    projectId,
    message: renderTemplate(schedule.promptTemplate, {
      name: schedule.name,
      timezone: schedule.timezone,
      at: run.createdAt,
    }),
    agentId: schedule.agentId ?? undefined,
    editMode: schedule.editMode,
    chat: { kind: "new" },
    title: `[${isManual ? "manual" : "scheduled"}] ${schedule.name}`,
    source: { kind: "schedule", scheduleId: schedule.id, runId: run.id, sessionId },
  });
  return { ...AWAIT_END, writes: runStarted(found) };
}

/** The caller that the schedule acts as. Throws `Unreachable` when the owner, or the owner's key, cannot reach the project. */
async function requireReach(
  deps: RunDeps,
  { schedule, isOwnerActive }: OpenRun,
): Promise<{ caller: Caller; projectId: string }> {
  const { projectId } = schedule;
  if (projectId === null) throw new Unreachable("not_found", "Project not found");
  if (!isOwnerActive) throw new Unreachable("forbidden", "The owner's account is not active");
  try {
    const caller = await callerFor(deps, schedule);
    await requireProject(deps, caller, projectId, "chat.send");
    return { caller, projectId };
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.retryable) throw cause;
    if (cause.code === "unauthenticated") throw new Unreachable("forbidden", KEY_REVOKED, { cause });
    throw new Unreachable(cause.code, cause.message, { cause });
  }
}
