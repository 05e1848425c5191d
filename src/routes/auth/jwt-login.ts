import { logIn } from "#src/domain/accounts/index.ts";
import { refreshCookie } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { Credentials } from "./credentials.ts";
import { describeToken, Token } from "./tokens.ts";

export const jwtLogin = endpoint({
  method: "post",
  path: "/api/auth/jwt/login",
  aliases: ["/auth/jwt/login"],
  summary: "Sign in with an OAuth2 password form; sets the refresh cookie",
  tag: "Accounts",
  access: "public",
  body: Credentials,
  bodyTypes: ["form", "json"],
  response: { status: 200, schema: Token },
  async handler({ services, body, client }) {
    const session = await logIn(services, body, client);
    return new Reply(describeToken(session), refreshCookie(services.config, session.refreshToken));
  },
});
