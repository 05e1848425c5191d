import type { Mailer } from "#src/platform/mail/mailer.ts";

export interface RevealConfig {
  ENVIRONMENT: "development" | "test" | "production";
  REGISTRATION_REVEALS_ACCOUNTS?: boolean | undefined;
}

/**
 * Whether the service conceals that an address has an account. If so, a new account only claims its address until it
 * proves it, whether or not another account holds the address: registration, login and a change of address do the same
 * work and respond the same. Without a mail server no address can be proved, so an account takes its address at once,
 * and a second account with it is refused.
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
