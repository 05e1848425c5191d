import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { AccessTokens } from "#src/platform/tokens/access-tokens.ts";
import { memberCaller, type Caller, type KeyCaller, type UserCaller } from "./caller.ts";
import { keyByGrantToken, keyByHash, keyById, userOfSession, type KeyRow } from "./queries.ts";
import { keepKey } from "./seen-keys.ts";

/** The person of an access token; `undefined` for an invalid token, an ended session or an inactive account. */
export async function authenticateUser(
  deps: { db: Db; accessTokens: AccessTokens },
  token: string,
): Promise<UserCaller | undefined> {
  const claims = await deps.accessTokens.verify(token);
  if (!claims) return undefined;
  const [user] = await userOfSession(deps.db, claims);
  return user && { kind: "user", ...claims, isSuperuser: user.isSuperuser };
}

/** The caller of a `tsk_` key. Throws `unauthenticated` for a malformed, revoked or expired key. */
export async function authenticateKey(deps: { db: Db }, token: string): Promise<KeyCaller> {
  const keyHash = hashOfKey(token);
  const [row] = await keyByHash(deps.db, { keyHash });
  keepKey(keyHash, undefined);
  const caller = callerOfKey(row);
  keepKey(keyHash, caller);
  return caller;
}

/**
 * The caller of a connected app's access token: its grant's key. Throws `unauthenticated` for a token that is unknown or expired, whose
 * grant has ended, or that is for another resource.
 */
export async function authenticateGrant(
  deps: { db: Db },
  token: string,
  resource: string,
): Promise<KeyCaller> {
  const [row] = await keyByGrantToken(deps.db, { tokenHash: sha256Hex(token) });
  if (!row || row.resource !== resource) throw new AppError("unauthenticated", "Invalid access token");
  if (row.expired) throw new AppError("unauthenticated", "Access token expired");
  return callerOfKey(row);
}

/** The caller of a key that was authenticated earlier. Throws `unauthenticated` once it is revoked or expired. */
async function callerOfKeyId(deps: { db: Db }, keyId: string): Promise<KeyCaller> {
  const [row] = await keyById(deps.db, keyId);
  return callerOfKey(row);
}

/**
 * The caller of work that a person, or a key of the person's, asked for earlier: without a sign-in, and never an
 * administrator. Throws as `callerOfKeyId` does.
 */
export async function callerFor(
  deps: { db: Db },
  { userId, apiKeyId }: { userId: string; apiKeyId: string | null },
): Promise<Caller> {
  return apiKeyId === null ? memberCaller(userId) : callerOfKeyId(deps, apiKeyId);
}

/** The stored hash of a key. A token of another form is refused without a query. */
export function hashOfKey(token: string): string {
  if (!/^tsk_[0-9a-f]{32}$/u.test(token)) throw new AppError("unauthenticated", "Invalid API key");
  return sha256Hex(token);
}

/** The caller of a key's row. Throws `unauthenticated`. */
export function callerOfKey(row: KeyRow | undefined): KeyCaller {
  if (!row) throw new AppError("unauthenticated", "Invalid API key");
  if (row.expired) throw new AppError("unauthenticated", "API key expired");
  if (!row.userIsActive || !row.role) throw new AppError("unauthenticated", "User not found or inactive");
  const { keyId, userId, teamId, isApp, role, scopes, projectIds } = row;
  return { kind: "key", keyId, userId, teamId, isApp, role, scopes, projectIds };
}
