import { confirmAuthenticator } from "#src/domain/people/authenticators/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AUTHENTICATOR_PATH, CodeBody, RecoveryCodes } from "./authenticator.ts";

export const confirmMyAuthenticator = endpoint({
  operationId: "confirmMyAuthenticator",
  method: "post",
  path: `${AUTHENTICATOR_PATH}/confirm`,
  summary: "Turn on the authenticator app",
  description: "From now on every sign-in with the password needs a code of it.",
  tag: "Accounts",
  access: { user: "any" },
  example: { code: "123456" },
  body: CodeBody,
  refusals: [400, 409, 429],
  response: { status: 200, schema: RecoveryCodes },
  handler: async ({ services, caller, body, client }) => ({
    recovery_codes: await confirmAuthenticator(services, caller, body.code, client),
  }),
});
