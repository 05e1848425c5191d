import { titleOfMessage } from "#src/domain/agent-work/tasks/index.ts";
import { queueNotice, taskNotice, type MailDeps } from "#src/domain/operations/mail/index.ts";
import { chatUrl, type ConsoleConfig } from "#src/lib/console-url.ts";
import type { Db } from "#src/platform/db/client.ts";
import { defineJob, type Attempt, type Outcome } from "#src/work/job.ts";
import { endDue, questionDue } from "./due.ts";
import { claimMail, taskToMail, type TaskMailEvent } from "./queries.ts";

/** Seconds until a mail that could not be claimed or handed over is tried again. */
const PAUSES = [10, 60, 300] as const;

export type TaskMailDeps = MailDeps & { db: Db; config: ConsoleConfig };

/** Mails what came of a task to its person. */
export const mailTaskEnd = defineJob(endDue, { pauses: PAUSES, run: mailTask });

/** Mails to its person that a task asks. */
export const mailTaskQuestion = defineJob(questionDue, { pauses: PAUSES, run: mailTask });

/**
 * Mails how a task is now, where its person still wants that: each of its events once, since the claim comes before the mail. A
 * later attempt of the job goes on with the claim of an earlier one, which failed or died before the queue had the mail, or just
 * after. The mail has the chat's title and a link, and nothing that the agent or a tool said.
 */
async function mailTask(
  deps: TaskMailDeps,
  { payload: { taskId }, storedAt, attempt }: Attempt<{ taskId: string }, undefined>,
): Promise<Outcome> {
  if (!deps.mailer.configured) return { kind: "done" };
  const [task] = await taskToMail(deps.db, taskId);
  const event = task && eventOf(task);
  if (!event || !task.isWanted) return { kind: "done" };
  const since = attempt === 1 ? null : storedAt;
  if (!(await claimMail(deps.db, { taskId, event, userId: task.userId, since }))) return { kind: "done" };
  const title = task.title ?? titleOfMessage(task.message);
  await queueNotice(deps, task.email, taskNotice({ event, title, link: chatUrl(deps.config, task) }));
  return { kind: "done" };
}

function eventOf({ status, isAsking }: { status: string; isAsking: boolean }): TaskMailEvent | undefined {
  if (status === "completed" || status === "failed") return status;
  return status === "running" && isAsking ? "asks" : undefined;
}
