import { jwtVerify, SignJWT } from "jose";
import { isId } from "#src/lib/ids.ts";

/** A user's visit of a project's previews; it lasts as long as the sign-in. */
export interface PreviewVisit {
  userId: string;
  /** The sign-in on which the visit rests: the visit ends with it. */
  sessionId: string;
  projectId: string;
}

/**
 * Use of a token: `entrance` passes from the service to a preview's host by a redirect, `cookie` keeps a visit there,
 * `path` is part of an address where cookies are impossible. No use is accepted for another, and none is an access
 * token.
 */
type PreviewTokenUse = "entrance" | "cookie" | "path";

const LIFETIME_SECONDS: Readonly<Record<PreviewTokenUse, number>> = {
  entrance: 60,
  cookie: 12 * 60 * 60,
  path: 60 * 60,
};

/** Tokens of previews: JWTs signed with SECRET_KEY that give access to one project's previews and nothing else. */
export interface PreviewTokens {
  /** `nonce` is stored by the browser that requested an entrance. */
  issue(use: PreviewTokenUse, visit: PreviewVisit, nonce?: string): Promise<string>;
  /** Returns the visit of a valid, unexpired token for this use and nonce; `undefined` for any other text. */
  verify(use: PreviewTokenUse, token: string, nonce?: string): Promise<PreviewVisit | undefined>;
  /** Returns the lifetime of a token for this use, in seconds. */
  lifetime(use: PreviewTokenUse): number;
}

export function createPreviewTokens(options: { secret: string }): PreviewTokens {
  const key = new TextEncoder().encode(options.secret);
  return {
    issue: (use, { userId, sessionId, projectId }, nonce) =>
      new SignJWT({ sid: sessionId, project: projectId, ...(nonce !== undefined && { nonce }) })
        .setProtectedHeader({ alg: "HS256" })
        .setSubject(userId)
        .setAudience(audience(use))
        .setIssuedAt()
        .setExpirationTime(`${LIFETIME_SECONDS[use]}s`)
        .sign(key),
    async verify(use, token, nonce) {
      try {
        const { payload } = await jwtVerify(token, key, {
          audience: audience(use),
          algorithms: ["HS256"],
          requiredClaims: ["sub", "exp", "sid", "project"],
        });
        const { sub: userId, sid: sessionId, project: projectId } = payload;
        if (payload["nonce"] !== nonce) return undefined;
        if (!isIdText(userId) || !isIdText(sessionId) || !isIdText(projectId)) return undefined;
        return { userId, sessionId, projectId };
      } catch {
        return undefined;
      }
    },
    lifetime: (use) => LIFETIME_SECONDS[use],
  };
}

function audience(use: PreviewTokenUse): string {
  return `workspace:preview-${use}`;
}

function isIdText(value: unknown): value is string {
  return typeof value === "string" && isId(value);
}
