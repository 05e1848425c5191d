import { emailVerification, passwordReset, type OutgoingMail } from "#src/domain/mail/index.ts";
import type { MailedLink, Purpose } from "./queries.ts";

export interface LinkConfig {
  /** Where the console lives; the service itself when absent. */
  APP_BASE_URL?: string | undefined;
  PUBLIC_URL: string;
}

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
  const base = (config.APP_BASE_URL ?? config.PUBLIC_URL).replace(/\/+$/u, "");
  if (purpose === "password_reset") {
    const link = `${base}/reset-password?token=${token}`;
    const hours = LIFE_SECONDS.password_reset / HOUR_SECONDS;
    return { kind: "password-reset", to, expiresAt, ...passwordReset({ link, hours }) };
  }
  const link = `${base}/verify-email?token=${token}`;
  return { kind: "email-verification", to, expiresAt, ...emailVerification({ link }) };
}
