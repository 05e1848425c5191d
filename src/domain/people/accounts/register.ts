import { uniqueViolation } from "#src/db/unique-violation.ts";
import { firstAccountGoverns } from "#src/domain/access/administrators/index.ts";
import { beginAttempt } from "#src/domain/operations/attempts/index.ts";
import { sendVerification, type LinkDeps } from "#src/domain/people/mailed-links/index.ts";
import { hashPassword, refusalOfPassword, type PasswordConfig } from "#src/domain/people/passwords/index.ts";
import {
  startSession,
  type Client,
  type Session,
  type SessionDeps,
} from "#src/domain/access/sessions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isReservedName } from "#src/lib/reserved-names.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { requireAllowedDomain, type EmailDomains } from "./email-domains.ts";
import { hidesAccounts, type RevealConfig } from "./hides-accounts.ts";
import { hasAccounts, insertUser, type AccountConfig, type User } from "./queries.ts";
import { usernameFor, userSlugOf } from "./usernames.ts";

/** Attempts with a new random name before a collision counts as a failure. */
const MAX_DRAWS = 10;

export interface Registration {
  email: string;
  password: string;
  /** Derived from the email when absent. */
  username?: string | undefined;
  /** Display name; the username when absent. */
  name?: string | undefined;
}

/**
 * Creates an account with a personal team, signs it in, and mails a link that proves its address. Outside production
 * the first account is the administrator. Where accounts are hidden (see `hidesAccounts`), registration with an address
 * that another account holds looks the same: the account is created but never holds the address, and the holder is
 * notified by mail. Throws `invalid_input` with a sentence about the address, password or name, or with
 * `REGISTER_USER_ALREADY_EXISTS`; `conflict` for a taken username where accounts are hidden; `rate_limited`.
 */
export async function register(
  deps: SessionDeps & LinkDeps & { config: AccountConfig & PasswordConfig & RevealConfig & EmailDomains },
  registration: Registration,
  client: Client,
): Promise<{ user: User; session: Session }> {
  const { email, password } = registration;
  const { username } = registration;
  requireAllowedDomain(deps.config, email);
  const refusal =
    (await refusalOfPassword(password, { email, username: username ?? "" })) ??
    (await refusalOfName(deps, username));
  if (refusal) throw new AppError("invalid_input", refusal);
  await beginAttempt(deps, "registration", { address: client.address });
  const passwordHash = await hashPassword(deps.config, password);
  for (let draw = 1; draw <= MAX_DRAWS; draw += 1) {
    const user = await tryInsert(deps, registration, passwordHash);
    if (!user) continue;
    const session = await startSession(deps, user, client, "registration");
    await sendVerification(deps, user);
    return { user, session };
  }
  throw new AppError("internal", "No free name was found for the account");
}

/** Refuses a reserved name, except for the first account of a local installation, which becomes the administrator. */
async function refusalOfName(
  { db, config }: { db: Db; config: AccountConfig },
  username: string | undefined,
): Promise<string | undefined> {
  if (username === undefined || !isReservedName(username)) return undefined;
  if (firstAccountGoverns(config) && !(await hasAccounts(db))) return undefined;
  return "Username is reserved";
}

/** Returns the account, or `undefined` when a randomly drawn name was taken. */
async function tryInsert(
  deps: LinkDeps & { config: AccountConfig & RevealConfig },
  { email, username, name }: Registration,
  passwordHash: string,
): Promise<User | undefined> {
  const chosen = username ?? usernameFor(email);
  const isHidden = hidesAccounts(deps);
  try {
    return await insertUser(deps, {
      id: newId(),
      email,
      username: chosen,
      name: name ?? chosen,
      slug: userSlugOf(chosen),
      passwordHash,
      defaultTeamId: newId(),
      emailAskedAt: isHidden ? new Date() : null,
    });
  } catch (error) {
    const taken = uniqueViolation(error);
    if (isHidden && taken === "users_username_unique" && username !== undefined) {
      throw new AppError("conflict", "Username is already taken", { cause: error });
    }
    const given =
      username === undefined ? ["users_email_unique"] : ["users_email_unique", "users_username_unique"];
    if (taken && given.includes(taken)) {
      throw new AppError("invalid_input", "REGISTER_USER_ALREADY_EXISTS", { cause: error });
    }
    if (taken) return undefined;
    throw error;
  }
}
