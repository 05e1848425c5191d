import { notifyOwner, type NoticeDeps, type Recipient } from "#src/domain/schedules/targets/index.ts";
import { settleRun, type OpenRun, type RunEnd } from "./queries/run.ts";
import { startMessage, type TickDeps } from "./tick.ts";

/** After so many failed runs in a row the owner is told, once. */
const FAILURES_TOLD = 3;

type EndDeps = TickDeps & NoticeDeps;

/**
 * Settles a run, and starts the next one that waits. The owner hears of the third failure in a row, and of one after which
 * nothing comes, unless the owner `isTold` already. Idempotent.
 */
export async function endRun(
  deps: EndDeps,
  found: OpenRun,
  end: RunEnd,
  { isTold = false }: { isTold?: boolean } = {},
): Promise<void> {
  const { schedule } = found;
  // Told before it is settled, since a settled run is not looked at again.
  const isExpected = end.status === "failed" && isAlarming(found, schedule.failuresInRow + 1);
  if (isExpected && !isTold) await tellOfFailure(deps, found, end);
  const { waiting, failuresInRow } = await settleRun(deps.db, found, end);
  // Runs side by side that failed at once count up to it together.
  const isReached = failuresInRow === FAILURES_TOLD;
  if (isReached && !isExpected && !isTold) await tellOfFailure(deps, found, end);
  if (waiting !== undefined) await deps.queue.publish(startMessage(waiting));
}

function isAlarming({ run, schedule }: OpenRun, failuresInRow: number): boolean {
  // A schedule that the service has paused was told of then.
  if (run.scheduledFor === null || schedule.pausedReason !== null) return false;
  return failuresInRow === FAILURES_TOLD || schedule.nextRunAt === null;
}

async function tellOfFailure(deps: EndDeps, found: OpenRun, { error }: RunEnd): Promise<void> {
  const { run, schedule } = found;
  const isOver = schedule.nextRunAt === null;
  const what = isOver ? "has failed" : `has failed ${FAILURES_TOLD} times in a row`;
  await notifyOwner(deps, recipientOf(found), {
    name: schedule.name,
    text: `The schedule “${schedule.name}” ${what}: ${error ?? "the run failed"}`,
    occasion: `schedule-failed:${run.id}`,
  });
}

/** Tells the owner that a schedule is paused, once until a person changes or resumes it. */
export async function tellOfPause(deps: EndDeps, found: OpenRun, reason: string): Promise<void> {
  const { id, name, updatedAt, createdAt } = found.schedule;
  await notifyOwner(deps, recipientOf(found), {
    name,
    text: `The schedule “${name}” is paused: ${reason}. Resume it when that is settled.`,
    occasion: `schedule-paused:${id}:${(updatedAt ?? createdAt).getTime()}`,
  });
}

/** For whom the targets of a run are looked up. */
export function recipientOf({ run, schedule }: Pick<OpenRun, "run" | "schedule">): Recipient {
  const { originPlatform: platform, originChatId: chatId } = schedule;
  return {
    userId: schedule.userId,
    projectId: schedule.projectId ?? run.id,
    apiKeyId: schedule.apiKeyId,
    taskId: run.taskId,
    origin:
      platform === null || chatId === null
        ? null
        : {
            platform,
            chatId,
            channelId: schedule.originConfigId,
            chatType: schedule.originChatType,
            threadId: schedule.originThreadId,
          },
  };
}
