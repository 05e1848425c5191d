import { z } from "zod";
import { logOut } from "#src/domain/sessions/index.ts";
import { cookieOf, noSessionCookies } from "#src/http/cookies.ts";
import { accessTokenOf } from "#src/http/credentials.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";

export const jwtLogout = endpoint({
  method: "post",
  path: "/api/auth/jwt/logout",
  aliases: ["/auth/jwt/logout", "/api/auth/cookie/logout", "/auth/cookie/logout"],
  summary: "As logout, for somebody who is signed in",
  tag: "Sessions",
  access: { user: "any" },
  response: { status: 204, schema: z.null() },
  async handler({ services, request, client }) {
    const tokens = {
      refreshToken: cookieOf(request, "refresh_token"),
      accessToken: accessTokenOf(request),
    };
    await logOut(services, tokens, { askedAt: new Date(), client });
    return new Reply(null, noSessionCookies(services.config));
  },
});
