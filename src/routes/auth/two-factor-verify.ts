import { z } from "zod";
import { verifyCode } from "#src/domain/people/two-factor/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { answerLogin, LoggedIn } from "./login-answer.ts";

export const twoFactorVerify = endpoint({
  operationId: "verifyLoginCode",
  method: "post",
  path: "/api/auth/2fa/verify",
  aliases: ["/auth/2fa/verify"],
  summary: "Complete a login with a code",
  description:
    "Sets the session's cookies. The code is the mailed one, or, by the login's `method`, one of the authenticator app or a recovery code.",
  tag: "Accounts",
  access: "public",
  example: { temp_token: "the temp_token of the login", code: "123456" },
  body: z.object({ temp_token: text({ max: 1000 }), code: text({ max: 1000, trim: true }) }),
  refusals: [401, 409, 429],
  response: { status: 200, schema: LoggedIn },
  async handler({ services, body, client }) {
    const attempt = { tempToken: body.temp_token, code: body.code };
    return answerLogin(services, { session: await verifyCode(services, attempt, client) });
  },
});
