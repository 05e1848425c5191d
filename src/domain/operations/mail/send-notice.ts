import type { Message } from "./messages.ts";
import { queueMail } from "./queue-mail.ts";
import type { MailDeps } from "./retry.ts";

/** A notice that was not delivered by then says nothing new. */
const DAY_MS = 24 * 60 * 60 * 1000;

/** Queues a notice of something that has happened. Throws `unavailable` when the queue does not respond or there is no mail server. */
export async function queueNotice(deps: Omit<MailDeps, "log">, to: string, message: Message): Promise<void> {
  await queueMail(deps, { kind: "account-notice", to, expiresAt: new Date(Date.now() + DAY_MS), ...message });
}

/**
 * Notifies the owner of an address of a change of the account, if there is a mail server. Failures are only logged,
 * because the change has already been made.
 */
export async function sendNotice(deps: MailDeps, to: string, message: Message): Promise<void> {
  if (!deps.mailer.configured) return;
  try {
    await queueNotice(deps, to, message);
  } catch (error) {
    deps.log.warn("no notice was queued", { cause: error });
  }
}
