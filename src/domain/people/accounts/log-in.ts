import { beginAttempt } from "#src/domain/operations/attempts/index.ts";
import { passwordMatches, type PasswordConfig } from "#src/domain/people/passwords/index.ts";
import {
  startSession,
  type Client,
  type Session,
  type SessionDeps,
} from "#src/domain/access/sessions/index.ts";
import {
  awaitCodeOfApp,
  requestCode,
  type CodeRequest,
  type TwoFactorDeps,
} from "#src/domain/people/two-factor/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { hidesAccounts, type RevealConfig } from "./hides-accounts.ts";
import { usersByIdentifier, type Candidate } from "./queries.ts";

export type LogInDeps = SessionDeps &
  TwoFactorDeps & { config: PasswordConfig & RevealConfig & { TWO_FA_ENABLED: boolean } };

interface Credentials {
  /** Username or email. */
  identifier: string;
  password: string;
}

/** The result of a correct password. */
export type LogInOutcome = { session: Session } | { codeRequest: CodeRequest };

/**
 * Logs in by username or email. An account with an authenticator app waits for a code of it; with two-factor login, every
 * other one for a mailed code. Throws `invalid_input`, `rate_limited`, and `unavailable` when no code can be mailed.
 */
export async function logIn(
  deps: LogInDeps,
  credentials: Credentials,
  client: Client,
): Promise<LogInOutcome> {
  const user = await checkCredentials(deps, credentials, client);
  const { hasAuthenticator } = user;
  if (!hasAuthenticator && !deps.config.TWO_FA_ENABLED)
    return { session: await startSession(deps, user, client, "password") };
  const codeRequest = await (hasAuthenticator ? awaitCodeOfApp(deps, user) : requestCode(deps, user, client));
  // The password was changed while it was compared.
  if (!codeRequest) throw badCredentials();
  return { codeRequest };
}

/**
 * Logs in for responses that have no room for a second step. Throws as `logIn`; `invalid_input` if a code is needed.
 */
export async function logInAtOnce(
  deps: LogInDeps,
  credentials: Credentials,
  client: Client,
): Promise<Session> {
  if (deps.config.TWO_FA_ENABLED) {
    throw new AppError("invalid_input", "Logging in needs an emailed code here: use /api/auth/login");
  }
  const user = await checkCredentials(deps, credentials, client);
  if (user.hasAuthenticator) {
    const message = "Logging in needs a code of your authenticator app here: use /api/auth/login";
    throw new AppError("invalid_input", message);
  }
  return startSession(deps, user, client, "password");
}

/**
 * An unknown account, a wrong password and an inactive account look the same and take the same time. Where accounts are
 * hidden, an address may mean two accounts: the one that holds it and one that claims it. Two passwords are always
 * compared, and attempts count per address, so that neither account reveals the other.
 */
async function checkCredentials(
  deps: LogInDeps,
  { identifier, password }: Credentials,
  client: Client,
): Promise<Candidate> {
  const candidates = await usersByIdentifier(deps.db, identifier);
  const isHidden = identifier.includes("@") && hidesAccounts(deps);
  const account = (isHidden ? undefined : candidates[0]?.id) ?? identifier.toLowerCase();
  const attempt = await beginAttempt(deps, "login", { account, address: client.address });
  const compared = Math.max(candidates.length, isHidden ? 2 : 1);
  let user: Candidate | undefined;
  for (let index = 0; index < compared; index += 1) {
    const candidate = candidates[index];
    const matches = await passwordMatches(deps.config, password, candidate?.passwordHash);
    if (matches && candidate?.isActive) user ??= candidate;
  }
  if (!user) throw badCredentials();
  await attempt.succeeded();
  return user;
}

function badCredentials(): AppError {
  return new AppError("invalid_input", "LOGIN_BAD_CREDENTIALS");
}
