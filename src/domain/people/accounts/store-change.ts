import { uniqueViolation } from "#src/db/unique-violation.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { updateUser, type User, type UserChange } from "./queries.ts";

/**
 * Store a change that a person makes to the own account. Throws `invalid_input` or `conflict` for an email or username
 * that another person has, `unauthenticated` for an account that is gone.
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

/** Throws the refusal of a write that ran into another person's email or username, and any other failure as it is. */
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
