import type { Mailer } from "#src/platform/mail/mailer.ts";

export interface RevealConfig {
  ENVIRONMENT: "development" | "test" | "production";
  REGISTRATION_REVEALS_ACCOUNTS?: boolean | undefined;
}

/**
 * Whether nobody is told that an address has an account. An account then only asks for its address until it has proved it,
 * whether or not another account holds it: registration, login and a change of the address do the same work and say the
 * same. Without a mail server no address could be proved, so there the address is taken, and a second account refused.
 */
export function hidesAccounts({
  config,
  mailer,
}: {
  config: RevealConfig;
  mailer: Pick<Mailer, "configured">;
}): boolean {
  const reveals = config.REGISTRATION_REVEALS_ACCOUNTS ?? config.ENVIRONMENT !== "production";
  return !reveals && mailer.configured;
}
