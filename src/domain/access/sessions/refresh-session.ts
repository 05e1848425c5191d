import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { endReusedSession, refreshRecordByHash, rotateRefreshRecord } from "./queries.ts";
import { newRefreshToken, type Client, type Session, type SessionDeps } from "./start-session.ts";

/**
 * Exchanges a refresh token for new tokens; the old one is used up. A token that is used twice may have been stolen, so
 * the whole session ends. Within `REFRESH_REUSE_GRACE_SECONDS` after its use, a token instead returns an access token
 * and no refresh token, because a browser's tabs may send the same cookie concurrently. Throws `unauthenticated`.
 */
export async function refreshSession(
  deps: SessionDeps,
  token: string | undefined,
  client: Client,
): Promise<Session> {
  if (!token) throw new AppError("unauthenticated", "No refresh token");
  const tokenHash = sha256Hex(token);
  const next = newRefreshToken(deps.config.REFRESH_TOKEN_EXPIRE_DAYS);
  const rotated = await rotateRefreshRecord(deps.db, tokenHash, next.record, client);
  if (!rotated) return passOrRefuse(deps, tokenHash, client);
  const access = await deps.accessTokens.issue(rotated);
  return { accessToken: access.token, refreshToken: next.token };
}

async function passOrRefuse(deps: SessionDeps, tokenHash: string, client: Client): Promise<Session> {
  const grace = deps.config.REFRESH_REUSE_GRACE_SECONDS;
  const [record] = await refreshRecordByHash(deps.db, tokenHash, grace);
  if (!record) throw refusal("Invalid refresh token");
  if (record.ended) throw refusal("Refresh token revoked");
  if (record.used && record.inGrace && record.isActive) {
    const { token } = await deps.accessTokens.issue(record);
    return { accessToken: token };
  }
  if (record.used) {
    await endReusedSession(deps.db, record, client);
    throw refusal("Refresh token revoked");
  }
  throw refusal(record.expired ? "Refresh token expired" : "User inactive or not found");
}

function refusal(message: string): AppError {
  return new AppError("unauthenticated", message);
}
