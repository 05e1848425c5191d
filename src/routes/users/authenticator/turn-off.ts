import { z } from "zod";
import { turnOffAuthenticator } from "#src/domain/people/authenticators/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AUTHENTICATOR_PATH, CodeBody } from "./authenticator.ts";

export const turnOffMyAuthenticator = endpoint({
  operationId: "turnOffMyAuthenticator",
  method: "post",
  path: `${AUTHENTICATOR_PATH}/turn-off`,
  summary: "Turn the authenticator app off",
  description: "Its recovery codes go with it.",
  tag: "Accounts",
  access: { user: "any" },
  example: { code: "123456" },
  body: CodeBody,
  refusals: [400, 429],
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, body, client }) {
    await turnOffAuthenticator(services, caller, body.code, client);
    return null;
  },
});
