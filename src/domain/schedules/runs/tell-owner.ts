import { notifyOwner, type Notice, type NoticeDeps } from "#src/domain/schedules/targets/index.ts";
import { defineJob } from "#src/work/job.ts";
import { noticeDue, type About } from "./notice-due.ts";
import { runOfTask, type OpenRun } from "./queries/open-run.ts";
import { FAILURES_TOLD } from "./queries/progress.ts";
import { recipientOf } from "./recipient-of.ts";

/** Tells the owner of a schedule that it was paused or has failed, in the owner's home chat or by mail. */
export const tellOwner = defineJob(noticeDue, {
  pauses: [10, 60, 600],
  read: runOfTask,
  run: async (deps: NoticeDeps, { payload: { about }, read: [found] }) => {
    // The owner is not told of a schedule that was deleted meanwhile.
    if (found) await notifyOwner(deps, recipientOf(found), noticeOf(found, about));
    return { kind: "done" };
  },
});

function noticeOf({ run, schedule }: OpenRun, about: About): Notice {
  const { id, name, updatedAt, createdAt } = schedule;
  if (about === "paused") {
    return {
      name,
      text: `The schedule “${name}” is paused: ${run.error}. Resume it when that is settled.`,
      // One of several runs that find the same reason tells of it, until a person changes or resumes the schedule.
      occasion: `schedule-paused:${id}:${(updatedAt ?? createdAt).getTime()}`,
    };
  }
  const what = about === "over" ? "has failed" : `has failed ${FAILURES_TOLD} times in a row`;
  return {
    name,
    text: `The schedule “${name}” ${what}: ${run.error ?? "the run failed"}`,
    occasion: `schedule-failed:${run.id}`,
  };
}
