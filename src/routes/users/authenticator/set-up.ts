import { z } from "zod";
import { setUpAuthenticator } from "#src/domain/people/authenticators/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { AUTHENTICATOR_PATH } from "./authenticator.ts";

export const setUpMyAuthenticator = endpoint({
  operationId: "setUpMyAuthenticator",
  method: "post",
  path: AUTHENTICATOR_PATH,
  summary: "Set up an authenticator app",
  description:
    "It counts once `…/confirm` got a code of it. Needs `current_password`, unless the session began in the last ten minutes.",
  tag: "Accounts",
  access: { user: "any" },
  example: {},
  body: z.object({ current_password: text({ max: 1000 }).nullish() }),
  refusals: [403, 409, 429],
  response: {
    status: 200,
    schema: z.object({
      secret: z.string().describe("In Base32, to type into an app"),
      uri: z.string().describe("`otpauth://…`, for a QR code"),
    }),
  },
  handler: ({ services, caller, body, client }) =>
    setUpAuthenticator(services, caller, {
      currentPassword: body.current_password ?? undefined,
      address: client.address,
    }),
});
