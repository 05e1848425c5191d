import { AppError } from "#src/lib/errors.ts";
import { retryLater, type MailDeps } from "./retry.ts";
import { unsealMail } from "./sealed-mail.ts";

/**
 * Makes one attempt to deliver a queued mail, and publishes the next attempt if the mail server did not accept it.
 * Expired mails and decoys are dropped. Delivery is at least once: a redelivery sends the same mail again. Throws
 * `invalid_input` for data that is not a mail of the service, `unavailable` when the next attempt could not be
 * published.
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
