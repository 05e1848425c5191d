import { startSession, type Client, type Session, type SessionDeps } from "#src/domain/sessions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { passwordMatches } from "./passwords.ts";
import { userByIdentifier } from "./queries.ts";

/**
 * Sign in by username or email. An unknown account, a wrong password and an account that is not active look the same and
 * take the same time. Throws `invalid_input`.
 */
export async function logIn(
  deps: SessionDeps,
  credentials: { identifier: string; password: string },
  client: Client,
): Promise<Session> {
  const [user] = await userByIdentifier(deps.db, credentials.identifier);
  const matches = await passwordMatches(credentials.password, user?.passwordHash);
  if (!user?.isActive || !matches) throw new AppError("invalid_input", "LOGIN_BAD_CREDENTIALS");
  return startSession(deps, user, client);
}
