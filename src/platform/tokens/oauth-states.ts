import { errors, jwtVerify, SignJWT } from "jose";
import { isId } from "#src/lib/ids.ts";

const AUDIENCE = "workspace:oauth-state";

export interface OAuthState {
  /** Id of one sign-in (`jti`); a UUID. */
  id: string;
  /** The provider to which the browser was sent. */
  provider: string;
  expiresAt: Date;
}

type VerifiedState = { kind: "valid"; state: OAuthState } | { kind: "expired" } | { kind: "invalid" };

/** The `state` parameter of OAuth: signed, so that an unsolicited callback is detected without a database. */
export interface OAuthStates {
  issue(state: OAuthState): Promise<string>;
  /** Returns `expired` only for a state of this service. */
  verify(token: string): Promise<VerifiedState>;
}

export function createOAuthStates(options: { secret: string }): OAuthStates {
  const key = new TextEncoder().encode(options.secret);
  return {
    issue: ({ id, provider, expiresAt }) =>
      new SignJWT({ provider })
        .setProtectedHeader({ alg: "HS256" })
        .setAudience(AUDIENCE)
        .setIssuedAt()
        .setJti(id)
        .setExpirationTime(expiresAt)
        .sign(key),
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, key, {
          audience: AUDIENCE,
          algorithms: ["HS256"],
          requiredClaims: ["exp", "jti", "provider"],
        });
        const { jti: id, provider, exp } = payload;
        if (!id || !isId(id) || typeof provider !== "string" || !exp) return { kind: "invalid" };
        return { kind: "valid", state: { id, provider, expiresAt: new Date(exp * 1000) } };
      } catch (error) {
        return { kind: error instanceof errors.JWTExpired ? "expired" : "invalid" };
      }
    },
  };
}
