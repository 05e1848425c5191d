import { emailVerification, passwordReset, type OutgoingMail } from "#src/domain/operations/mail/index.ts";
import { consoleUrl, type ConsoleConfig } from "#src/lib/console-url.ts";
import type { MailedLink, Purpose } from "./queries.ts";

export type LinkConfig = ConsoleConfig;

const HOUR_SECONDS = 60 * 60;

export const LIFE_SECONDS: Readonly<Record<Purpose, number>> = {
  password_reset: HOUR_SECONDS,
  email_verification: 24 * HOUR_SECONDS,
};

/** The mail with a link to the console's page. */
export function mailOf(
  config: LinkConfig,
  purpose: Purpose,
  { email: to, expiresAt }: MailedLink,
  token: string,
): OutgoingMail {
  if (purpose === "password_reset") {
    const link = consoleUrl(config, `/reset-password?token=${token}`);
    const hours = LIFE_SECONDS.password_reset / HOUR_SECONDS;
    return { kind: "password-reset", to, expiresAt, ...passwordReset({ link, hours }) };
  }
  const link = consoleUrl(config, `/verify-email?token=${token}`);
  return { kind: "email-verification", to, expiresAt, ...emailVerification({ link }) };
}
