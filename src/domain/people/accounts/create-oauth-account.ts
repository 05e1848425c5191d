import { uniqueViolation } from "#src/db/unique-violation.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { insertUser, type AccountConfig, type Along, type User } from "./queries.ts";
import { usernameFor, userSlugOf } from "./usernames.ts";

/**
 * Creates an account without a password, and what belongs to it, for a person whose address the provider has verified.
 * As in a registration, a proved address that ADMIN_EMAIL names makes the account an administrator. Returns `undefined`
 * if the address, a random name, or a row stored along with it conflicted: the caller looks the account up again and
 * retries.
 */
export async function createOAuthAccount(
  deps: { db: Db; config: AccountConfig },
  person: { email: string; name?: string; avatarUrl?: string },
  along: (userId: string) => Along,
): Promise<User | undefined> {
  const id = newId();
  const username = usernameFor(person.email);
  const user = {
    id,
    email: person.email,
    username,
    name: person.name ?? username,
    slug: userSlugOf(username),
    passwordHash: null,
    defaultTeamId: newId(),
    isVerified: true,
    avatarUrl: person.avatarUrl ?? null,
  };
  try {
    return await insertUser(deps, user, along(id));
  } catch (error) {
    if (uniqueViolation(error) !== undefined) return undefined;
    throw error;
  }
}
