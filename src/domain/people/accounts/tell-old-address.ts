import {
  emailChanged,
  passwordChanged,
  sendNotice,
  type MailDeps,
} from "#src/domain/operations/mail/index.ts";
import { consoleUrl, type ConsoleConfig } from "#src/lib/console-url.ts";
import type { User } from "./queries.ts";

/** Notifies the previous address of an account when a change was of the address or the password. */
export async function tellOldAddress(
  deps: MailDeps & { config: ConsoleConfig },
  before: User,
  after: User,
): Promise<void> {
  if (before.email.toLowerCase() !== after.email.toLowerCase()) {
    await sendNotice(deps, before.email, emailChanged());
  }
  if (before.passwordHash !== after.passwordHash) {
    const link = consoleUrl(deps.config, "/forgot-password");
    await sendNotice(deps, before.email, passwordChanged({ link }));
  }
}
