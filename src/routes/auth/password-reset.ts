import { z } from "zod";
import { resetPassword } from "#src/domain/people/mailed-links/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";

export const passwordReset = endpoint({
  operationId: "resetPassword",
  method: "post",
  path: "/api/auth/reset-password",
  aliases: ["/auth/reset-password"],
  summary: "Reset a password",
  description: "With the token of a mailed link, which works once. Ends all sessions of the account.",
  tag: "Accounts",
  access: "public",
  example: { token: "the token of the mail", password: "correct horse battery staple" },
  body: z.object({
    token: text({ max: 1000 }),
    password: text({ max: 1000 }).describe("8 characters to 72 bytes, and not a common password"),
  }),
  refusals: [429],
  response: { status: 200, schema: z.null() },
  async handler({ services, body, client }) {
    await resetPassword(services, body, client);
    return null;
  },
});
