import { z } from "zod";
import { requestPasswordReset } from "#src/domain/people/mailed-links/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { email } from "#src/http/schemas.ts";

export const passwordForgot = endpoint({
  operationId: "requestPasswordReset",
  method: "post",
  path: "/api/auth/forgot-password",
  aliases: ["/auth/forgot-password"],
  summary: "Request a password reset",
  description: "Mails a link for a new password. The response is the same for an address without an account.",
  tag: "Accounts",
  access: "public",
  example: { email: "ada@example.com" },
  body: z.object({ email: email() }),
  refusals: [429, 503],
  response: { status: 202, schema: z.null() },
  async handler({ services, body, client }) {
    await requestPasswordReset(services, body.email, client);
    return null;
  },
});
