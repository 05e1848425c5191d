import { publishAttempt, type MailDeps } from "./retry.ts";
import { requireMail } from "./require-mail.ts";
import { newQueuedMail, type OutgoingMail } from "./sealed-mail.ts";

/**
 * Have the queue send a mail, without waiting for the mail server. Without a mail it publishes a decoy of the same form and
 * length: what the caller does, and how long it takes, is the same for accounts that exist and those that do not. Throws
 * `unavailable` when the queue does not answer or there is no mail server.
 */
export async function queueMail(deps: Omit<MailDeps, "log">, mail: OutgoingMail | undefined): Promise<void> {
  requireMail(deps.mailer);
  await publishAttempt(deps, newQueuedMail(mail), { attempt: 1 });
}
