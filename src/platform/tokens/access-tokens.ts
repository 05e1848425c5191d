import { jwtVerify, SignJWT } from "jose";
import { isId } from "#src/lib/ids.ts";

/** Audience of every access token; tokens for other purposes are not accepted as access tokens. */
const AUDIENCE = "workspace:auth";

export interface AccessClaims {
  userId: string;
  /** The sign-in of the token (`sid`): the token ends with it. */
  sessionId: string;
}

/** Access tokens: JWTs signed HS256 with SECRET_KEY, carried as a Bearer header or in the `session` cookie. */
export interface AccessTokens {
  /** Returns a token and its lifetime in seconds. */
  issue(claims: AccessClaims & { isSuperuser: boolean }): Promise<{ token: string; expiresIn: number }>;
  /** Returns the claims of a valid, unexpired token of this service; `undefined` for any other text. */
  verify(token: string): Promise<AccessClaims | undefined>;
}

export function createAccessTokens(options: { secret: string; minutes: number }): AccessTokens {
  const key = new TextEncoder().encode(options.secret);
  const expiresIn = options.minutes * 60;
  return {
    async issue({ userId, sessionId, isSuperuser }) {
      const token = await new SignJWT({ is_admin: isSuperuser, sid: sessionId })
        .setProtectedHeader({ alg: "HS256" })
        .setSubject(userId)
        .setAudience([AUDIENCE])
        .setIssuedAt()
        .setJti(crypto.randomUUID())
        .setExpirationTime(`${expiresIn}s`)
        .sign(key);
      return { token, expiresIn };
    },
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, key, {
          audience: AUDIENCE,
          algorithms: ["HS256"],
          requiredClaims: ["sub", "exp", "sid"],
        });
        const { sub: userId, sid: sessionId } = payload;
        if (!userId || !isId(userId) || typeof sessionId !== "string" || !isId(sessionId)) return undefined;
        return { userId, sessionId };
      } catch {
        return undefined;
      }
    },
  };
}
