import { beginAttempt } from "#src/domain/operations/attempts/index.ts";
import { passwordMatches, type PasswordConfig } from "#src/domain/people/passwords/index.ts";
import { sessionBeganWithin } from "#src/domain/access/sessions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { AttemptLimits } from "#src/domain/operations/limits/index.ts";
import type { AccountChange } from "./check-change.ts";
import type { User } from "./queries.ts";

/** How long after a sign-in a session needs no password. A refresh does not extend it. */
const FRESH_MINUTES = 10;

export interface HolderDeps {
  db: Db;
  attempts: AttemptLimits;
  config: PasswordConfig;
}

/** Whether a change could hand the account over: it changes the password or the address. */
export function handsOver(user: User, { password, email }: AccountChange): boolean {
  return password !== undefined || (email !== undefined && email.toLowerCase() !== user.email.toLowerCase());
}

/**
 * Checks that a session may change how the account is signed in to: it began in the last ten minutes, or the request has
 * the account's password. `what` begins the refusal's sentence. A session alone may be stolen, and its thief could then keep the account. Wrong passwords
 * count as failed logins. Throws `forbidden` with what to do, `invalid_input` for a wrong password, `rate_limited`.
 */
export async function requireHolder(
  deps: HolderDeps,
  { user, sessionId }: { user: User; sessionId: string },
  {
    currentPassword,
    address,
    what = "Changing the password or the email address",
  }: { currentPassword: string | undefined; address: string; what?: string },
): Promise<void> {
  if (user.passwordHash !== null && currentPassword !== undefined) {
    const attempt = await beginAttempt(deps, "login", { account: user.id, address });
    if (!(await passwordMatches(deps.config, currentPassword, user.passwordHash))) {
      throw new AppError("invalid_input", "current_password is not the password of this account");
    }
    await attempt.succeeded();
    return;
  }
  if (await sessionBeganWithin(deps.db, sessionId, FRESH_MINUTES)) return;
  const again = `log in again and repeat the change within ${FRESH_MINUTES} minutes`;
  throw new AppError(
    "forbidden",
    user.passwordHash === null
      ? `${what} needs a new session, since this account has no password: ${again}`
      : `${what} needs the password of this account as current_password; or ${again}`,
  );
}
