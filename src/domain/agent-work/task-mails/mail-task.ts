import { titleOfMessage } from "#src/domain/agent-work/tasks/index.ts";
import { queueMail, taskNotice, type MailDeps } from "#src/domain/operations/mail/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { defineJob, type Attempt, type Outcome } from "#src/work/job.ts";
import { endDue, questionDue } from "./due.ts";
import { claimMail, taskToMail, type TaskMailEvent } from "./queries.ts";

/** Seconds until a mail that could not be claimed or handed over is tried again. */
const PAUSES = [10, 60, 300] as const;
/** A mail that was not delivered by then says nothing new. */
const DAY_MS = 24 * 60 * 60_000;

export type TaskMailDeps = MailDeps & { db: Db; config: { PUBLIC_URL: string } };

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
  const link = new URL(`/app/projects/${task.projectId}/chats/${task.chatId}`, deps.config.PUBLIC_URL).href;
  const notice = taskNotice({ event, title: task.title ?? titleOfMessage(task.message), link });
  const expiresAt = new Date(Date.now() + DAY_MS);
  await queueMail(deps, { kind: "account-notice", to: task.email, expiresAt, ...notice });
  return { kind: "done" };
}

function eventOf({ status, isAsking }: { status: string; isAsking: boolean }): TaskMailEvent | undefined {
  if (status === "completed" || status === "failed") return status;
  return status === "running" && isAsking ? "asks" : undefined;
}
