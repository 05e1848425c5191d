import { AppError } from "#src/lib/errors.ts";
import { retryLater, type MailDeps } from "./retry.ts";
import { unsealMail } from "./sealed-mail.ts";

/**
 * Make one attempt to deliver a queued mail, and publish the next when the mail server did not take it. Mails that are void
 * by now, and decoys, are dropped. A delivery that the queue repeats sends the mail again: it says the same, and arriving
 * twice is better than never. Throws `invalid_input` for what is not a mail of ours, `unavailable` when the next attempt
 * could not be published.
 */
export async function deliverMail(
  deps: MailDeps,
  { sealed, attempt }: { sealed: string; attempt: number },
): Promise<void> {
  const queued = await unsealMail(deps.secrets, sealed);
  const { mail } = queued;
  if (mail === null) return;
  const { kind } = mail;
  if (mail.expiresAt.getTime() <= Date.now()) {
    deps.log.error("mail was given up", { kind, attempts: attempt - 1, reason: "expired" });
    return;
  }
  try {
    await deps.mailer.send(mail);
  } catch (error) {
    if (error instanceof AppError && !error.retryable) throw error;
    deps.log.warn("mail was not delivered", { kind, attempt, cause: error });
    if (await retryLater(deps, queued, attempt)) return;
    deps.log.error("mail was given up", { kind, attempts: attempt, reason: "not delivered" });
  }
}
