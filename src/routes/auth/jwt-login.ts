import { logIn } from "#src/domain/people/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Credentials } from "./credentials.ts";
import { answerLogin, LoggedIn } from "./login-answer.ts";

export const jwtLogin = endpoint({
  operationId: "loginWithForm",
  method: "post",
  path: "/api/auth/jwt/login",
  aliases: ["/auth/jwt/login"],
  summary: "Sign in with a form",
  description: "The same as login, with an OAuth2 password form.",
  tag: "Accounts",
  access: "public",
  example: { username: "ada@example.com", password: "correct horse battery staple" },
  body: Credentials,
  bodyTypes: ["form", "json"],
  refusals: [409, 429],
  response: { status: 200, orStatus: 503, schema: LoggedIn },
  handler: async ({ services, body, client }) => answerLogin(services, await logIn(services, body, client)),
});
