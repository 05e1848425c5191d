import { refreshSession } from "#src/domain/sessions/index.ts";
import { refreshCookie, refreshTokenOf } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { describeToken, Token } from "./tokens.ts";

export const refresh = endpoint({
  method: "post",
  path: "/api/auth/refresh",
  aliases: ["/auth/refresh", "/api/auth/jwt/refresh", "/auth/jwt/refresh"],
  summary: "A new access token for the refresh cookie, which is single use: coming twice ends the session",
  tag: "Accounts",
  access: "public",
  refusals: [401],
  response: { status: 200, schema: Token },
  async handler({ services, request, client }) {
    const session = await refreshSession(services, refreshTokenOf(request), client);
    return new Reply(describeToken(session), refreshCookie(services.config, session.refreshToken));
  },
});
