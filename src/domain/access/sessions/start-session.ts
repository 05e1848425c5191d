import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { newToken } from "#src/lib/random-token.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { AccessTokens } from "#src/platform/tokens/access-tokens.ts";
import { insertSession, type NewRefreshRecord } from "./queries.ts";

export interface SessionDeps {
  db: Db;
  accessTokens: AccessTokens;
  config: { REFRESH_TOKEN_EXPIRE_DAYS: number; REFRESH_REUSE_GRACE_SECONDS: number };
}

export type { Client } from "#src/lib/client.ts";

/** How a person proved who they are. */
export type SignInMethod =
  | "registration"
  | "password"
  | "two_factor"
  | "passkey"
  | "github"
  | "google"
  | "device";

/** Both tokens of a session. The refresh token is only returned here; its hash is stored. */
export interface Session {
  accessToken: string;
  /** Absent for a refresh token within its grace period: the client that used it first has the new one. */
  refreshToken?: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Opens a session for a person who has just signed in. Throws `conflict` when the account is inactive by now or its
 * password is no longer that of `passwordHash`: a change that ended the account's sessions also prevents this one. `program` is
 * one for which a person approved the session in another, which must still be live.
 */
export async function startSession(
  deps: SessionDeps,
  user: { id: string; isSuperuser: boolean; passwordHash?: string | null },
  client: Client,
  method: SignInMethod,
  program?: { name: string; approvedBy: string },
): Promise<Session> {
  const sessionId = newId();
  const refresh = newRefreshToken(deps.config.REFRESH_TOKEN_EXPIRE_DAYS);
  const { id: userId, passwordHash } = user;
  const session = { id: sessionId, userId, passwordHash, program, client, method };
  if (!(await insertSession(deps.db, session, refresh.record))) {
    throw new AppError("conflict", "The account was changed in the meantime: log in again");
  }
  const { token } = await deps.accessTokens.issue({
    userId: user.id,
    sessionId,
    isSuperuser: user.isSuperuser,
  });
  return { accessToken: token, refreshToken: refresh.token };
}

/** A new refresh token, and the record to be stored. */
export function newRefreshToken(days: number): { token: string; record: NewRefreshRecord } {
  const { token, hash } = newToken();
  const record = { id: newId(), tokenHash: hash, expiresAt: new Date(Date.now() + days * DAY_MS) };
  return { token, record };
}
