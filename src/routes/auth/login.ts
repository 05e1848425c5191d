import { z } from "zod";
import { logIn } from "#src/domain/accounts/index.ts";
import { refreshCookie } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { Credentials } from "./credentials.ts";
import { describeToken, Token } from "./tokens.ts";

const LoggedIn = Token.extend({
  requires_2fa: z.boolean(),
  temp_token: z.string().nullable(),
  method: z.string().nullable(),
}).meta({ id: "LoggedIn" });

export const login = endpoint({
  method: "post",
  path: "/api/auth/login",
  aliases: ["/auth/login"],
  summary: "Sign in with a username or email address; sets the refresh cookie",
  tag: "Accounts",
  access: "public",
  body: Credentials,
  bodyTypes: ["json", "form"],
  response: { status: 200, schema: LoggedIn },
  async handler({ services, body, client }) {
    const session = await logIn(services, body, client);
    return new Reply(
      { ...describeToken(session), requires_2fa: false, temp_token: null, method: null },
      refreshCookie(services.config, session.refreshToken),
    );
  },
});
