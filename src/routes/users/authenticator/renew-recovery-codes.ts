import { renewRecoveryCodes } from "#src/domain/people/authenticators/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AUTHENTICATOR_PATH, CodeBody, RecoveryCodes } from "./authenticator.ts";

export const renewMyRecoveryCodes = endpoint({
  operationId: "renewMyRecoveryCodes",
  method: "post",
  path: `${AUTHENTICATOR_PATH}/recovery-codes`,
  summary: "Make new recovery codes",
  description: "They void those before.",
  tag: "Accounts",
  access: { user: "any" },
  example: { code: "123456" },
  body: CodeBody,
  refusals: [400, 409, 429],
  response: { status: 200, schema: RecoveryCodes },
  handler: async ({ services, caller, body, client }) => ({
    recovery_codes: await renewRecoveryCodes(services, caller, body.code, client),
  }),
});
