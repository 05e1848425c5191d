import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { AccessTokens } from "#src/platform/tokens/access-tokens.ts";
import { insertRefreshRecord, noteActivity } from "./queries.ts";
import { newRefreshToken } from "./refresh-token.ts";

export interface SessionDeps {
  db: Db;
  accessTokens: AccessTokens;
  config: { REFRESH_TOKEN_EXPIRE_DAYS: number };
}

/** Who is calling from where; kept with the session, so that people can tell their sessions apart. */
export interface Client {
  address: string;
  userAgent: string;
}

/** Both tokens of a session. The refresh token leaves the service here only; its hash is kept. */
export interface Session {
  accessToken: string;
  refreshToken: string;
}

/** Open a session for somebody who has just proved who they are. */
export async function startSession(
  deps: SessionDeps,
  user: { id: string; isSuperuser: boolean },
  client: Client,
): Promise<Session> {
  const refresh = newRefreshToken(deps.config.REFRESH_TOKEN_EXPIRE_DAYS, client);
  await deps.db.batch([
    insertRefreshRecord(deps.db, { ...refresh.record, userId: user.id, familyId: newId() }),
    noteActivity(deps.db, user.id),
  ]);
  const { token } = await deps.accessTokens.issue(user);
  return { accessToken: token, refreshToken: refresh.token };
}
