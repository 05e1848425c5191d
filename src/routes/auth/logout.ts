import { z } from "zod";
import { logOut } from "#src/domain/sessions/index.ts";
import { cookieOf, noSessionCookies } from "#src/http/cookies.ts";
import { accessTokenOf } from "#src/http/credentials.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";

export const logout = endpoint({
  method: "post",
  path: "/api/auth/logout",
  aliases: ["/auth/logout"],
  summary: "End every session of the account and clear the cookies; fine to repeat, and without a session",
  tag: "Sessions",
  access: "public",
  response: { status: 200, schema: z.object({ detail: z.string() }) },
  async handler({ services, request, client }) {
    const tokens = {
      refreshToken: cookieOf(request, "refresh_token"),
      accessToken: accessTokenOf(request),
    };
    await logOut(services, tokens, { askedAt: new Date(), client });
    return new Reply({ detail: "Logged out" }, noSessionCookies(services.config));
  },
});
