import { notSignedIn } from "../errors.ts";
import { numberOf, objectOf, parseJson } from "../json.ts";
import type { Profiles, SessionProfile } from "./profiles.ts";
import { post, refusal, tokensOf } from "./sign-in-requests.ts";

/**
 * An access token other than the refused one. Processes take turns, because a refresh token can be used once: the first one
 * refreshes, the others find its new token in the file. Throws `not_signed_in` when the session has ended; its profile is
 * removed then.
 */
export async function renewAccessToken(
  profiles: Profiles,
  service: string,
  refused: string,
): Promise<string> {
  const profile = await profiles.update(service, async (found) => {
    if (found?.kind !== "session" || found.accessToken !== refused) return found;
    return found.refreshToken === undefined
      ? undefined
      : refreshed(service, { ...found, refreshToken: found.refreshToken });
  });
  if (profile?.kind !== "session") throw notSignedIn(service);
  return profile.accessToken;
}

/** The profile with new tokens; undefined when the session has ended. */
async function refreshed(
  service: string,
  profile: SessionProfile & { refreshToken: string },
): Promise<SessionProfile | undefined> {
  const answer = await post(service, "/api/auth/device/refresh", { refresh_token: profile.refreshToken });
  // 401: it has ended. 422: the service does not take what the file holds.
  if (answer.status === 401 || answer.status === 422) return undefined;
  const tokens = tokensOf(answer);
  if (!tokens) throw refusal(answer);
  // Without a new refresh token the old one was used a moment ago: its successor is lost.
  return { ...profile, ...tokens };
}

/** Seconds before its end from which a token is renewed rather than tried. */
const MARGIN_SECONDS = 30;

/**
 * Whether an access token is over by this machine's clock. The service decides; this only saves a request. Source of the
 * form: RFC 7519, section 4.1.4.
 */
export function isExpired(accessToken: string, nowMs: number): boolean {
  const [, payload = ""] = accessToken.split(".");
  const claims = objectOf(parseJson(Buffer.from(payload, "base64url").toString("utf8")));
  const expires = numberOf(claims, "exp");
  return expires !== undefined && expires - MARGIN_SECONDS <= nowMs / 1000;
}
