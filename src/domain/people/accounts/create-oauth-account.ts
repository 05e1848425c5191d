import { uniqueViolation } from "#src/db/unique-violation.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { insertUser, type AccountConfig, type Along, type User } from "./queries.ts";
import { usernameFor, userSlugOf } from "./usernames.ts";

/**
 * Make an account without a password for a person whose address a provider vouches for, with what belongs to it. Who becomes
 * an administrator is decided as in a registration, by an address that is proved. `undefined` when the address, a name that was drawn, or what is
 * stored along with it was taken: look again, and try again.
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
