import { hashPassword, refusalOfPassword, type PasswordConfig } from "#src/domain/people/passwords/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { requireAllowedDomain, type EmailDomains } from "./email-domains.ts";
import type { User, UserChange } from "./queries.ts";
import { refusalOfUsername } from "./usernames.ts";

export interface AccountChange {
  email?: string | undefined;
  username?: string | undefined;
  name?: string | undefined;
  password?: string | undefined;
  /** The caller's current password, which `requireHolder` may require. */
  currentPassword?: string | undefined;
  diagramModel?: string | null | undefined;
}

/**
 * Validates a change of an account and returns what is stored, with the password hashed. Throws `invalid_input` for
 * invalid addresses, names and passwords.
 */
export async function checkChange(
  config: PasswordConfig & EmailDomains,
  user: User,
  wish: AccountChange,
): Promise<UserChange> {
  const { password, currentPassword: _, ...given } = wish;
  const { email = user.email, username = user.username } = given;
  if (email.toLowerCase() !== user.email.toLowerCase()) requireAllowedDomain(config, email);
  const refusal =
    (username === user.username ? undefined : refusalOfUsername(username)) ??
    (password === undefined ? undefined : await refusalOfPassword(password, { email, username }));
  if (refusal) throw new AppError("invalid_input", refusal);
  const change: UserChange = { ...given };
  if (password !== undefined) change.passwordHash = await hashPassword(config, password);
  return change;
}
