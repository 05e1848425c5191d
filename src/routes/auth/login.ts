import { logIn } from "#src/domain/people/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Credentials } from "./credentials.ts";
import { answerLogin, LoggedIn } from "./login-answer.ts";

export const login = endpoint({
  operationId: "login",
  method: "post",
  path: "/api/auth/login",
  aliases: ["/auth/login"],
  summary: "Sign in",
  description:
    "With a username or email address. Sets the session's cookies, or mails a code for `2fa/verify`.",
  tag: "Accounts",
  access: "public",
  example: { email: "ada@example.com", password: "correct horse battery staple" },
  body: Credentials,
  bodyTypes: ["json", "form"],
  refusals: [409, 429],
  response: { status: 200, orStatus: 503, schema: LoggedIn },
  handler: async ({ services, body, client }) => answerLogin(services, await logIn(services, body, client)),
});
