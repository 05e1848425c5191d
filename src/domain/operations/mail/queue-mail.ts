import { publishAttempt, type MailDeps } from "./retry.ts";
import { requireMail } from "./require-mail.ts";
import { newQueuedMail, type OutgoingMail } from "./sealed-mail.ts";

/**
 * Sends a mail through the queue, without waiting for the mail server. Without a mail it publishes a decoy of the same
 * form and length, so that work and duration are the same for existing and missing accounts. Throws `unavailable` when
 * the queue does not respond or there is no mail server.
 */
export async function queueMail(deps: Omit<MailDeps, "log">, mail: OutgoingMail | undefined): Promise<void> {
  requireMail(deps.mailer);
  await publishAttempt(deps, newQueuedMail(mail), { attempt: 1 });
}
