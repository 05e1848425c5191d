import { startTask, type StartDeps } from "#src/domain/agent-work/tasks/index.ts";
import { callerFor, type Caller } from "#src/domain/organisations/access/index.ts";
import { renderTemplate } from "#src/domain/schedules/expressions/index.ts";
import type { NoticeDeps } from "#src/domain/schedules/targets/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { endRun, tellOfPause } from "./end-run.ts";
import { pauseFor } from "./queries/due.ts";
import {
  beginRun,
  insertManualRun,
  noteStarted,
  runOf,
  sessionToAsk,
  settleRun,
  type OpenRun,
} from "./queries/run.ts";
import { startMessage } from "./tick.ts";

export type RunDeps = StartDeps & NoticeDeps;

/** A run that could not be started for so long has failed. */
const PATIENCE_MS = 60 * 60_000;

/**
 * Starts the task of a run, unless an earlier run of the schedule is in its way. Idempotent: the task's id was chosen with
 * the run. A schedule whose project, access or credits are gone is paused, and its owner is told. Throws `unavailable` and
 * `rate_limited`, where the queue tries again.
 */
export async function startRun(deps: RunDeps, runId: string): Promise<void> {
  const found = await runOf(deps.db, runId);
  if (!found || found.run.finishedAt !== null || found.run.startedAt !== null) return;
  const status = await beginRun(deps.db, found.run);
  if (status !== "running") return;
  try {
    await start(deps, found);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.retryable && Date.now() - found.run.createdAt.getTime() < PATIENCE_MS) throw error;
    await fail(deps, found, error.message, pauses(error) ? error.message : undefined);
  }
}

/**
 * Runs a schedule now, also a paused one; its clock stays as it is. Returns the task's id. Throws as `startTask` does, and
 * `not_found` for a schedule whose project is gone.
 */
export async function triggerRun(deps: RunDeps, scheduleId: string): Promise<string> {
  const run = { id: newId(), scheduleId, taskId: newId() };
  await insertManualRun(deps.db, run);
  const found = await runOf(deps.db, run.id);
  if (!found) throw new AppError("not_found", "Schedule not found");
  await beginRun(deps.db, run);
  try {
    await start(deps, found);
  } catch (error) {
    // The run is stored, and `sweepRuns` starts it: another one would run twice.
    if (error instanceof AppError && error.code === "unavailable") return run.taskId;
    const sentence = error instanceof AppError ? error.message : "The run could not be started";
    await settleRun(deps.db, found, { status: "failed", error: sentence, isSilent: false, deliveries: [] });
    throw error;
  }
  return run.taskId;
}

/** Has the queue run a schedule by hand. Returns the id that its task will have. */
export async function requestRun(
  { db, queue }: { db: Db; queue: Queue },
  scheduleId: string,
): Promise<string> {
  const run = { id: newId(), scheduleId, taskId: newId() };
  await insertManualRun(db, run);
  await queue.publish(startMessage(run.id));
  return run.taskId;
}

const KEY_REVOKED = "The API key that the schedule was made with was revoked";

/** What ends a schedule's work for good, or until a person acts. */
class Unreachable extends AppError {}

function pauses(error: AppError): boolean {
  return error instanceof Unreachable || error.code === "insufficient_credits";
}

async function start(deps: RunDeps, found: OpenRun): Promise<void> {
  const { run, schedule } = found;
  const { caller, projectId } = await requireReach(deps, found);
  const isManual = run.scheduledFor === null;
  const sessionId = await sessionToAsk(deps.db, schedule);
  await startTask(deps, {
    taskId: run.taskId,
    userId: schedule.userId,
    isSuperuser: false,
    apiKeyId: caller.kind === "key" ? caller.keyId : null,
    scopes: caller.kind === "key" ? caller.scopes : null,
    projectId,
    message: renderTemplate(schedule.promptTemplate, {
      name: schedule.name,
      timezone: schedule.timezone,
      at: run.createdAt,
    }),
    agentId: schedule.agentId ?? undefined,
    model: undefined,
    editMode: schedule.editMode,
    maxIterations: undefined,
    chat: { kind: "new" },
    title: `[${isManual ? "manual" : "scheduled"}] ${schedule.name}`,
    attachmentIds: [],
    messageMetadata: {
      schedule: {
        id: schedule.id,
        run_id: run.id,
        ...(sessionId !== undefined && { session_id: sessionId }),
      },
    },
    webhookUrl: undefined,
    origin: "schedule",
    idempotencyKey: undefined,
  });
  await noteStarted(deps.db, found);
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

async function fail(deps: RunDeps, found: OpenRun, error: string, pause: string | undefined): Promise<void> {
  const isPaused = pause !== undefined && found.schedule.isActive;
  if (isPaused) {
    // Told first: once it is paused, a repetition would not tell of it any more.
    await tellOfPause(deps, found, pause);
    await pauseFor(deps.db, found.schedule.id, pause);
  }
  const end = { status: "failed", error, isSilent: false, deliveries: [] } as const;
  await endRun(deps, found, end, { isTold: isPaused });
}
