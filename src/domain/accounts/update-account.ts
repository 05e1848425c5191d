import { uniqueViolation } from "#src/db/unique-violation.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { requireAccount } from "./account.ts";
import { hashPassword, refusalOfPassword } from "./passwords.ts";
import { updateUser, type User, type UserChange } from "./queries.ts";
import { refusalOfUsername } from "./usernames.ts";

export interface AccountChange {
  email?: string | undefined;
  username?: string | undefined;
  name?: string | undefined;
  password?: string | undefined;
}

/**
 * Change one's own account. A new password ends all sessions; a new address is not a verified one. Throws
 * `invalid_input` for names and passwords that will not do, `conflict` for a username somebody else has.
 */
export async function updateAccount(deps: { db: Db }, userId: string, wish: AccountChange): Promise<User> {
  const user = await requireAccount(deps, userId);
  const { password, ...given } = wish;
  const { email = user.email, username = user.username } = given;
  const refusal =
    (username === user.username ? undefined : refusalOfUsername(username)) ??
    (password === undefined ? undefined : refusalOfPassword(password, { email, username }));
  if (refusal) throw new AppError("invalid_input", refusal);
  const change: UserChange = { ...given };
  if (email.toLowerCase() !== user.email.toLowerCase()) change.isVerified = false;
  if (password !== undefined) change.passwordHash = await hashPassword(password);
  try {
    const updated = await updateUser(deps.db, userId, change);
    if (!updated) throw new AppError("unauthenticated", "Unauthorized");
    return updated;
  } catch (error) {
    const taken = uniqueViolation(error);
    if (taken === "users_email_unique") {
      throw new AppError("invalid_input", "UPDATE_USER_EMAIL_ALREADY_EXISTS", { cause: error });
    }
    if (taken === "users_username_unique") {
      throw new AppError("conflict", "Username is already taken", { cause: error });
    }
    throw error;
  }
}
