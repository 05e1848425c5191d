import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { refreshRecordByHash, revokeFamilyOfToken, rotateRefreshRecord } from "./queries.ts";
import { newRefreshToken } from "./refresh-token.ts";
import type { Client, Session, SessionDeps } from "./start-session.ts";

/**
 * New tokens for a refresh token, which is used up by it. One that comes a second time was copied, or lost on the way:
 * nobody can tell which, so the whole session ends. Throws `unauthenticated`.
 */
export async function refreshSession(
  deps: SessionDeps,
  token: string | undefined,
  client: Client,
): Promise<Session> {
  if (!token) throw new AppError("unauthenticated", "No refresh token");
  const tokenHash = sha256Hex(token);
  const next = newRefreshToken(deps.config.REFRESH_TOKEN_EXPIRE_DAYS, client);
  const user = await rotateRefreshRecord(deps.db, tokenHash, next.record);
  if (!user) throw await refusal(deps, tokenHash);
  const access = await deps.accessTokens.issue({ id: user.userId, isSuperuser: user.isSuperuser });
  return { accessToken: access.token, refreshToken: next.token };
}

async function refusal(deps: SessionDeps, tokenHash: string): Promise<AppError> {
  const [record] = await refreshRecordByHash(deps.db, tokenHash);
  if (!record) return new AppError("unauthenticated", "Invalid refresh token");
  if (record.usedAt) await revokeFamilyOfToken(deps.db, tokenHash);
  if (record.usedAt || record.revoked) return new AppError("unauthenticated", "Refresh token revoked");
  if (record.expired) return new AppError("unauthenticated", "Refresh token expired");
  return new AppError("unauthenticated", "User inactive or not found");
}
