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
  /** The password that the person who makes the change has now, where `requireHolder` asks for it. */
  currentPassword?: string | undefined;
  diagramModel?: string | null | undefined;
}

/**
 * What is stored for a change of an account, the password as its hash. Throws `invalid_input` for addresses, names and
 * passwords that will not do.
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
