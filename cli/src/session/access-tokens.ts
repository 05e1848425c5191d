import type { Profiles } from "./profiles.ts";
import { isExpired, renewAccessToken } from "./refresh.ts";

/** The access tokens of a session, as the client asks for them. One that is over is renewed before it is tried. */
export function accessTokens(
  profiles: Profiles,
  service: string,
  first: string,
): (refused?: string) => Promise<string> {
  return async (refused = isExpired(first, Date.now()) ? first : undefined) =>
    refused === undefined ? first : renewAccessToken(profiles, service, refused);
}
