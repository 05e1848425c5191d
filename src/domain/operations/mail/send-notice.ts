import type { Message } from "./messages.ts";
import { queueMail } from "./queue-mail.ts";
import type { MailDeps } from "./retry.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Notifies the owner of an address of a change of the account, if there is a mail server. Failures are only logged,
 * because the change has already been made.
 */
export async function sendNotice(deps: MailDeps, to: string, message: Message): Promise<void> {
  if (!deps.mailer.configured) return;
  try {
    const expiresAt = new Date(Date.now() + DAY_MS);
    await queueMail(deps, { kind: "account-notice", to, expiresAt, ...message });
  } catch (error) {
    deps.log.warn("no notice was queued", { cause: error });
  }
}
