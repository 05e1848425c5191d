import { z } from "zod";
import { logInAtOnce } from "#src/domain/people/accounts/index.ts";
import { sessionCookies } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { Credentials } from "./credentials.ts";

export const cookieLogin = endpoint({
  operationId: "loginWithCookies",
  method: "post",
  path: "/api/auth/cookie/login",
  aliases: ["/auth/cookie/login"],
  summary: "Sign in with cookies only",
  description: "Refused where signing in needs an emailed code.",
  tag: "Sessions",
  access: "public",
  example: { username: "ada@example.com", password: "correct horse battery staple" },
  body: Credentials,
  bodyTypes: ["form", "json"],
  refusals: [409, 429],
  response: { status: 204, schema: z.null() },
  async handler({ services, body, client }) {
    const session = await logInAtOnce(services, body, client);
    return new Reply(null, sessionCookies(services.config, session));
  },
});
