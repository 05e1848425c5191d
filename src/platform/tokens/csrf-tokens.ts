import { jwtVerify, SignJWT } from "jose";

const AUDIENCE = "workspace:csrf";

/** CSRF tokens: signed, and bound to one session, so that a token planted by an attacker is useless. */
export interface CsrfTokens {
  /** Issues a token for a session, or for a person who has none yet. */
  issue(sessionId: string | undefined): Promise<string>;
  /** Whether a token is valid, unexpired and of this session. */
  verify(token: string, sessionId: string): Promise<boolean>;
}

export function createCsrfTokens(options: { secret: string; maxAgeSeconds: number }): CsrfTokens {
  const key = new TextEncoder().encode(options.secret);
  return {
    issue: (sessionId) =>
      new SignJWT({ sid: sessionId ?? null })
        .setProtectedHeader({ alg: "HS256" })
        .setAudience(AUDIENCE)
        .setIssuedAt()
        .setJti(crypto.randomUUID())
        .setExpirationTime(`${options.maxAgeSeconds}s`)
        .sign(key),
    async verify(token, sessionId) {
      try {
        const { payload } = await jwtVerify(token, key, {
          audience: AUDIENCE,
          algorithms: ["HS256"],
          requiredClaims: ["exp", "sid"],
        });
        return payload["sid"] === sessionId;
      } catch {
        return false;
      }
    },
  };
}
