import { z } from "zod";
import { requestVerification } from "#src/domain/people/mailed-links/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { email } from "#src/http/schemas.ts";

export const verificationRequest = endpoint({
  operationId: "requestVerificationEmail",
  method: "post",
  path: "/api/auth/request-verify-token",
  aliases: ["/auth/request-verify-token"],
  summary: "Request a verification email",
  description:
    "Mails a link that verifies the address. The response is the same for an address without an account.",
  tag: "Accounts",
  access: "public",
  example: { email: "ada@example.com" },
  body: z.object({ email: email() }),
  refusals: [429, 503],
  response: { status: 202, schema: z.null() },
  async handler({ services, body, client }) {
    await requestVerification(services, body.email, client);
    return null;
  },
});
