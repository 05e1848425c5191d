import { AppError } from "#src/lib/errors.ts";
import type { Mailer } from "#src/platform/mail/mailer.ts";

/** Throws `unavailable` on an installation without a mail server. */
export function requireMail({ configured }: Pick<Mailer, "configured">): void {
  if (!configured) throw new AppError("unavailable", "Email is not configured on this installation");
}
