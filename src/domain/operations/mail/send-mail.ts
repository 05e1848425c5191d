import { AppError } from "#src/lib/errors.ts";
import { retryLater, type MailDeps } from "./retry.ts";
import { newQueuedMail, type OutgoingMail } from "./sealed-mail.ts";
import { requireMail } from "./require-mail.ts";

/**
 * Sends a mail while the caller waits. If the mail server does not accept it, the queue tries again, and the result is
 * `retrying`. Throws `unavailable` when neither worked, or when there is no mail server; `invalid_input` for an address
 * that cannot receive mail.
 */
export async function sendMail(deps: MailDeps, mail: OutgoingMail): Promise<"sent" | "retrying"> {
  requireMail(deps.mailer);
  try {
    await deps.mailer.send(mail);
    return "sent";
  } catch (error) {
    if (error instanceof AppError && !error.retryable) throw error;
    deps.log.warn("mail was not delivered", { kind: mail.kind, attempt: 1, cause: error });
    if (await willRetry(deps, mail)) return "retrying";
    throw new AppError("unavailable", "The email could not be sent; try again later", { cause: error });
  }
}

async function willRetry(deps: MailDeps, mail: OutgoingMail): Promise<boolean> {
  try {
    return await retryLater(deps, newQueuedMail(mail), 1);
  } catch (error) {
    deps.log.error("mail was not queued", { kind: mail.kind, cause: error });
    return false;
  }
}
