import { refreshSession } from "#src/domain/access/sessions/index.ts";
import { cookieOf, sessionCookies } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { describeToken, Token } from "./tokens.ts";

export const refresh = endpoint({
  operationId: "refreshSession",
  method: "post",
  path: "/api/auth/refresh",
  aliases: ["/auth/refresh", "/api/auth/jwt/refresh", "/auth/jwt/refresh"],
  summary: "Refresh the access token",
  description: "The refresh cookie is single use. Using one twice ends the session.",
  tag: "Sessions",
  access: "public",
  refusals: [401],
  response: { status: 200, schema: Token },
  async handler({ services, request, client }) {
    const session = await refreshSession(
      services,
      cookieOf(request, services.config, "refresh_token"),
      client,
    );
    return new Reply(describeToken(session), sessionCookies(services.config, session));
  },
});
