import { z } from "zod";
import { resendCode } from "#src/domain/people/two-factor/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Detail, text } from "#src/http/schemas.ts";

export const twoFactorSend = endpoint({
  operationId: "resendLoginCode",
  method: "post",
  path: "/api/auth/2fa/send",
  aliases: ["/auth/2fa/send", "/api/auth/2fa/resend", "/auth/2fa/resend"],
  summary: "Resend a login code",
  description:
    "The previous code becomes invalid. Refused where an authenticator app has the code. Returns 503 while the mail server does not accept the email.",
  tag: "Accounts",
  access: "public",
  example: { temp_token: "the temp_token of the login" },
  body: z.object({ temp_token: text({ max: 1000 }) }),
  bodyTypes: ["json", "form"],
  refusals: [400, 401, 429],
  response: { status: 200, orStatus: 503, schema: Detail },
  async handler({ services, body, client }) {
    const delivery = await resendCode(services, body.temp_token, client);
    if (delivery === "sent") return { detail: "Verification code resent" };
    const detail = "The code could not be emailed yet and is being retried";
    return Response.json({ detail }, { status: 503 });
  },
});
