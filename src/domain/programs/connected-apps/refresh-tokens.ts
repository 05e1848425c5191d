import type { Client } from "#src/domain/access/sessions/index.ts";
import type { AttemptLimits } from "#src/domain/operations/limits/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { endGrant, type EndDeps } from "./end-grant.ts";
import { requireResource } from "./exchange-code.ts";
import { oauthRefusal } from "./oauth-refusal.ts";
import { grantOfToken, rotateTokens } from "./queries.ts";
import { newTokens, type IssuedTokens } from "./tokens.ts";

export interface RefreshInput {
  refreshToken: string;
  clientId: string;
  scope: string | undefined;
  resource: string | undefined;
}

const OVER = "The refresh token is unknown, expired, or its access has ended: sign in again";

/**
 * Exchanges a refresh token for new tokens of the same grant; the old one is used up. One that is used twice may have been stolen, so
 * the grant ends. The scopes stay those of the grant, whichever of them are named. Throws `invalid_input` with RFC 6749's code, and
 * `rate_limited` for a grant that refreshes without end, because each used token is kept; it may then be tried again.
 */
export async function refreshTokens(
  deps: EndDeps & { attempts: AttemptLimits; config: { PUBLIC_URL: string } },
  { refreshToken, clientId, scope, resource }: RefreshInput,
  client: Client,
): Promise<IssuedTokens> {
  requireResource(resource, deps.config);
  const hash = sha256Hex(refreshToken);
  const [grant] = await grantOfToken(deps.db, hash);
  if (grant?.kind !== "refresh") throw oauthRefusal("invalid_grant", OVER);
  if (grant.clientId !== clientId)
    throw oauthRefusal("invalid_grant", "The refresh token is another client's");
  const scopes = grant.scopes ?? [];
  // Before it is used up: a client that asks for too much may ask again.
  if (scope?.split(" ").some((each) => each !== "" && !scopes.includes(each))) {
    throw oauthRefusal("invalid_scope", `The access is for ${scopes.join(" ")}: sign in again for more`);
  }
  const turn = grant.used
    ? undefined
    : await deps.attempts.take("appRefresh", `app-refresh:${grant.grantId}`);
  if (turn?.allowed === false) {
    const { retryAfterSeconds } = turn;
    throw new AppError("rate_limited", "The access was refreshed too often", { retryAfterSeconds });
  }
  const { issued, stored } = newTokens();
  if (!grant.used && (await rotateTokens(deps.db, hash, stored))) return { ...issued, scopes };
  const [now] = await grantOfToken(deps.db, hash);
  if (now?.used) await endGrant(deps, now, { action: "connected_app.refresh_reused", client });
  throw oauthRefusal("invalid_grant", OVER);
}
