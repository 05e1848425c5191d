import { AppError } from "#src/lib/errors.ts";
import { isReservedName } from "#src/lib/reserved-names.ts";
import type { Db } from "#src/platform/db/client.ts";
import { requireAccount } from "./account.ts";
import type { User } from "./queries.ts";
import { storeChange } from "./store-change.ts";
import { refusalOfUsername } from "./usernames.ts";

/** A person's public profile. Absent fields stay; null removes the value. */
export interface ProfileChange {
  username?: string | undefined;
  name?: string | undefined;
  avatarUrl?: string | null | undefined;
  bio?: string | null | undefined;
  twitterHandle?: string | null | undefined;
  githubUsername?: string | null | undefined;
  websiteUrl?: string | null | undefined;
}

const MAX_HANDLE = 32;

/** Changes the person's own profile. Throws `invalid_input` for an invalid username, `conflict` for a taken one. */
export async function updateProfile(deps: { db: Db }, userId: string, change: ProfileChange): Promise<User> {
  if (change.username !== undefined) {
    const { username } = await requireAccount(deps, userId);
    const refusal = change.username === username ? undefined : refusalOfUsername(change.username);
    if (refusal) throw new AppError("invalid_input", refusal);
  }
  return storeChange(deps.db, userId, change);
}

/**
 * Changes the username to one of at most 32 characters. Throws `invalid_input` for an invalid username, `conflict` for
 * one that is taken or reserved.
 */
export async function changeHandle(deps: { db: Db }, userId: string, handle: string): Promise<User> {
  const user = await requireAccount(deps, userId);
  if (handle === user.username) return user;
  if (isReservedName(handle)) throw new AppError("conflict", "Username is reserved");
  if (handle.length > MAX_HANDLE || refusalOfUsername(handle) !== undefined) {
    throw new AppError(
      "invalid_input",
      `Handle must be 3 to ${MAX_HANDLE} lowercase letters, digits, single hyphens or underscores, and begin and end with a letter or digit`,
    );
  }
  return storeChange(deps.db, userId, { username: handle });
}
