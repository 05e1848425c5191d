import { register } from "#src/domain/accounts/index.ts";
import type { UserCaller } from "#src/domain/access/index.ts";
import type { SessionDeps } from "#src/domain/sessions/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { createAccessTokens } from "#src/platform/tokens/access-tokens.ts";

export const CLIENT = { address: "192.0.2.1", userAgent: "tests" };
export const PASSWORD = "correct horse";

/** What opening a session takes. */
export function sessionDeps(db: Db): SessionDeps {
  const accessTokens = createAccessTokens({ secret: "a-secret-key-for-tests-of-32-characters", minutes: 30 });
  return { db, accessTokens, config: { REFRESH_TOKEN_EXPIRE_DAYS: 14 } };
}

/** Somebody with an account, a personal team and a session. */
export async function newPerson(db: Db, name = "person") {
  const username = `${name}-${crypto.randomUUID().slice(0, 8)}`;
  const registration = { email: `${username}@example.com`, username, password: PASSWORD };
  const { user, session } = await register(sessionDeps(db), registration, CLIENT);
  const caller: UserCaller = { kind: "user", userId: user.id, isSuperuser: user.isSuperuser };
  return { user, session, caller };
}
