import { logOut, type Client } from "#src/domain/access/sessions/index.ts";
import { cookieOf, noSessionCookies } from "#src/http/cookies.ts";
import { accessTokenOf } from "#src/http/credentials.ts";
import type { Services } from "#src/services.ts";

interface Leaving {
  services: Services;
  request: Request;
  client: Client;
}

/** Ends the sessions that a request's tokens belong to, if any; returns headers that clear the cookies. */
export async function endSessions({
  services,
  request,
  client,
}: Leaving): Promise<ReturnType<typeof noSessionCookies>> {
  const tokens = {
    refreshToken: cookieOf(request, services.config, "refresh_token"),
    accessToken: accessTokenOf(request, services.config),
  };
  await logOut(services, tokens, { askedAt: new Date(), client });
  return noSessionCookies(services.config);
}
