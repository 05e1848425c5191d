import { updateAccount, type AccountChange } from "#src/domain/people/accounts/index.ts";
import { insertUser } from "#src/domain/people/accounts/queries.ts";
import { userSlugOf } from "#src/domain/people/accounts/usernames.ts";
import { authenticateUser, type UserCaller } from "#src/domain/access/permissions/index.ts";
import type { LinkDeps } from "#src/domain/people/mailed-links/index.ts";
import { startSession, type Session, type SessionDeps } from "#src/domain/access/sessions/index.ts";
import { newId } from "#src/lib/ids.ts";
import { createLog } from "#src/platform/log/log.ts";
import { noMailer } from "#src/platform/mail/mailer.ts";
import type { Db } from "#src/platform/db/client.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { createAccessTokens } from "#src/platform/tokens/access-tokens.ts";
import { DEFAULT_CEILINGS } from "./ceilings.ts";

export const CLIENT = { address: "192.0.2.1", userAgent: "tests" };
export const PASSWORD = "correct horse";
/** As `hashPassword` makes it: a bcrypt for every person who is made here would be half of the time that tests take. */
const PASSWORD_HASH = "$2b$04$GvKRShThT0zPH7hAX7cN..uiJ5ZjegnWk6Qu1S2yIBC0iCrgeWHKW";

const unused = () => Promise.reject(new Error("Nothing was to be queued"));

/** What teams begin with, and how much one may hold. */
export const CREDITS = {
  ENVIRONMENT: "test" as "development" | "test" | "production",
  ...DEFAULT_CEILINGS,
  SIGNUP_BONUS_CREDITS: 15_000,
  SIGNUP_BONUS_EXPIRY_DAYS: 60,
  TIER_DAILY_CREDITS_FREE: 5,
};

const SECRET_KEY = "a-secret-key-for-tests-of-32-characters";

/** What opening a session and changing an account take, without mail, without a queue, and with attempts without end. */
export function sessionDeps(db: Db) {
  const config = {
    REFRESH_TOKEN_EXPIRE_DAYS: 14,
    REFRESH_REUSE_GRACE_SECONDS: 0,
    PUBLIC_URL: "https://service.test",
    PASSWORD_HASH_COST: 4,
    ADMIN_EMAIL: [] as string[],
    ALLOWED_EMAIL_DOMAINS: [] as string[],
    BLOCKED_EMAIL_DOMAINS: [] as string[],
    ...CREDITS,
  };
  return {
    db,
    accessTokens: createAccessTokens({ secret: SECRET_KEY, minutes: 30 }),
    secrets: createSecrets(SECRET_KEY),
    attempts: { take: async () => undefined, giveBack: async () => {} },
    mailer: noMailer,
    queue: { publish: unused, publishBatch: unused, ensureSchedule: unused, answers: unused },
    log: createLog(),
    config,
  } satisfies SessionDeps & LinkDeps;
}

/** A person with an account, a personal team and a session, as after registering. */
export async function newPerson(db: Db, name = "person", credits: Partial<typeof CREDITS> = {}) {
  const username = `${name}-${crypto.randomUUID().slice(0, 8)}`;
  const deps = sessionDeps(db);
  const config = { ...deps.config, ...credits };
  const user = await insertUser(
    { db, config },
    {
      id: newId(),
      email: `${username}@example.com`,
      username,
      name: username,
      slug: userSlugOf(username),
      passwordHash: PASSWORD_HASH,
      defaultTeamId: newId(),
    },
  );
  if (!user) throw new Error("The account was not made");
  const session = await startSession(deps, user, CLIENT, "registration");
  return { user, session, caller: await callerOf(deps, session) };
}

/** The caller that a session's access token stands for. */
export async function callerOf(deps: SessionDeps, { accessToken }: Session): Promise<UserCaller> {
  const caller = await authenticateUser(deps, accessToken);
  if (!caller) throw new Error("The session's token was refused");
  return caller;
}

/** Changes the account of a person who has just signed in. */
export async function changeOwnAccount(
  deps: Parameters<typeof updateAccount>[0] & SessionDeps,
  userId: string,
  wish: AccountChange,
) {
  const session = await startSession(deps, { id: userId, isSuperuser: false }, CLIENT, "password");
  return updateAccount(deps, await callerOf(deps, session), wish, CLIENT);
}
