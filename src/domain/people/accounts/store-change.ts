import { uniqueViolation } from "#src/db/unique-violation.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { updateUser, type User, type UserChange } from "./queries.ts";

/**
 * Stores a person's change to their account. Throws `invalid_input` or `conflict` for an email or username that
 * another account has, `unauthenticated` for a deleted account.
 */
export async function storeChange(
  db: Db,
  userId: string,
  change: UserChange,
  options: { asksForEmail?: boolean } = {},
): Promise<User> {
  const updated = await updateUser(db, userId, change, options).catch(refuseTaken);
  if (!updated) throw new AppError("unauthenticated", "Unauthorized");
  return updated;
}

/** Turns a violated unique index on email or username into its refusal; rethrows any other error. */
export function refuseTaken(error: unknown): never {
  const taken = uniqueViolation(error);
  if (taken === "users_email_unique") {
    throw new AppError("invalid_input", "UPDATE_USER_EMAIL_ALREADY_EXISTS", { cause: error });
  }
  if (taken === "users_username_unique") {
    throw new AppError("conflict", "Username is already taken", { cause: error });
  }
  throw error;
}
