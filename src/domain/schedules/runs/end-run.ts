import type { Queue } from "#src/platform/queue/queue.ts";
import { messageOf, type Outcome } from "#src/work/job.ts";
import { messageOfRun } from "./functions.ts";
import { noticeDue } from "./notice-due.ts";
import type { OpenRun } from "./queries/open-run.ts";
import { FAILURES_TOLD, runEnded, type RunEnd } from "./queries/progress.ts";

/** Ends a run. The run that waits longest behind it goes on, and the owner is told of an end that is alarming. */
export function endRun(
  { queue }: { queue: Pick<Queue, "publishBatch"> },
  found: OpenRun,
  end: RunEnd,
): Outcome {
  const { run, schedule, waiting } = found;
  const notice = { name: noticeDue.name, key: run.taskId };
  const messages = [
    ...(waiting === null ? [] : [messageOfRun(waiting, `after-${run.id}`)]),
    ...(isProbablyTold(found, end) ? [messageOf(notice, { occasion: "stored" })] : []),
  ];
  return {
    kind: "done",
    writes: runEnded(run.taskId, end, { isQueue: schedule.overlap === "queue" }),
    ...(messages.length > 0 && { afterwards: () => queue.publishBatch(messages) }),
  };
}

/** Whether the end stores a notice, unless other runs of the schedule end at the same moment: then the sweep publishes it. */
function isProbablyTold({ run, schedule }: OpenRun, { status, pause }: RunEnd): boolean {
  if (pause !== undefined) return true;
  if (status !== "failed" || run.scheduledFor === null) return false;
  return schedule.nextRunAt === null || schedule.failuresInRow + 1 === FAILURES_TOLD;
}
