import { sha256Hex } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import { newToken } from "#src/lib/random-token.ts";
import { GRANT_TOKEN } from "#src/lib/grant-token.ts";
import type { NewTokens } from "./queries.ts";

/** Seconds for which an access token is good. */
const ACCESS_SECONDS = 3_600;

/** Seconds for which an unused refresh token is good: an app that nobody uses for so long must ask again. */
const REFRESH_SECONDS = 30 * 24 * 3_600;

const REFRESH_PREFIX = "tsr_";

/** Both tokens of a grant, which are only returned here. */
export interface IssuedTokens {
  accessToken: string;
  /** Seconds. */
  expiresIn: number;
  refreshToken: string;
  scopes: readonly string[];
}

/** New tokens for a client, and what the service stores of them. */
export function newTokens(): { issued: Omit<IssuedTokens, "scopes">; stored: NewTokens } {
  const accessToken = GRANT_TOKEN + newToken().token;
  const refreshToken = REFRESH_PREFIX + newToken().token;
  return {
    issued: { accessToken, expiresIn: ACCESS_SECONDS, refreshToken },
    stored: {
      access: { id: newId(), hash: sha256Hex(accessToken), seconds: ACCESS_SECONDS },
      refresh: { id: newId(), hash: sha256Hex(refreshToken), seconds: REFRESH_SECONDS },
    },
  };
}
