import { z } from "zod";
import type { Log } from "#src/platform/log/log.ts";
import type { Mailer } from "#src/platform/mail/mailer.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { declareFunction, messageTo } from "#src/work/message.ts";
import { sealMail, type QueuedMail } from "./sealed-mail.ts";

export interface MailDeps {
  mailer: Mailer;
  queue: Queue;
  secrets: Secrets;
  log: Log;
}

/** A queued mail is to be delivered: which attempt it is, from 1. */
export const mailDue = declareFunction({
  name: "send-mail",
  message: z.object({ sealed: z.string(), attempt: z.int().min(1) }),
});

/** Seconds to wait after each failed attempt; about 22 minutes in all, longer than the restart of a mail server. */
const PAUSES = [5, 30, 120, 300, 900] as const;

/** Publishes an attempt. The queue deduplicates repeated publications of the same attempt. Throws `unavailable`. */
export async function publishAttempt(
  { queue, secrets }: Pick<MailDeps, "queue" | "secrets">,
  queued: QueuedMail,
  { attempt, delaySeconds = 0 }: { attempt: number; delaySeconds?: number },
): Promise<void> {
  const deduplicationId = `mail-${queued.id}-${attempt}`;
  const delivery = { deduplicationId, ...(delaySeconds > 0 && { delaySeconds }) };
  const sealed = await sealMail(secrets, queued);
  await queue.publish(messageTo(mailDue, { sealed, attempt }, delivery));
}

/**
 * Publishes the attempt after the failed one with this number, and returns true. Returns false after the last attempt,
 * or if the mail will have expired by then. Throws `unavailable`.
 */
export async function retryLater(
  deps: Pick<MailDeps, "queue" | "secrets">,
  queued: QueuedMail,
  attempt: number,
): Promise<boolean> {
  const delaySeconds = PAUSES[attempt - 1];
  if (delaySeconds === undefined || queued.mail === null) return false;
  if (Date.now() + delaySeconds * 1000 >= queued.mail.expiresAt.getTime()) return false;
  await publishAttempt(deps, queued, { attempt: attempt + 1, delaySeconds });
  return true;
}
