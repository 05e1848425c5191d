import { isTerminal } from "#src/domain/agent-work/tasks/index.ts";
import { runDue } from "./run-due.ts";
import { defineJob } from "#src/work/job.ts";
import { finishRun } from "./finish-run.ts";
import { runOfTask } from "./queries/open-run.ts";
import { runEnded } from "./queries/progress.ts";
import type { RunDeps } from "./run-deps.ts";
import { AWAIT_END, startRun } from "./start-run.ts";

/**
 * Takes a run from its moment to its end: starts its task, unless an earlier run of the schedule is in its way, and delivers
 * the result once the task has ended. The job stays for as long as the run: it is stored again by the end of the task, and by
 * that of the run before. A run that its last attempt could not start, or end, has failed.
 */
export const advanceRun = defineJob(runDue, {
  pauses: [10, 60, 300, 600, 1200, 1800],
  read: runOfTask,
  run: async (deps: RunDeps, attempt) => {
    const [found] = attempt.read;
    if (!found || found.run.finishedAt !== null) return { kind: "done" };
    const { run, task } = found;
    const isOver = task ? isTerminal(task.status) : run.startedAt !== null;
    if (isOver) return finishRun(deps, found);
    return run.startedAt === null ? startRun(deps, attempt, found) : AWAIT_END;
  },
  onGivingUp: (taskId, error) => runEnded(taskId, { status: "failed", error }),
});
