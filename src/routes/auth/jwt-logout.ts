import { z } from "zod";
import { endSession } from "#src/domain/sessions/index.ts";
import { noRefreshCookie, refreshTokenOf } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";

export const jwtLogout = endpoint({
  method: "post",
  path: "/api/auth/jwt/logout",
  aliases: ["/auth/jwt/logout"],
  summary: "End the session of the refresh cookie, as the bearer of an access token",
  tag: "Accounts",
  access: { user: "any" },
  response: { status: 204, schema: z.null() },
  async handler({ services, request }) {
    await endSession(services, refreshTokenOf(request));
    return new Reply(null, noRefreshCookie(services.config));
  },
});
