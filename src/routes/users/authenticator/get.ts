import { z } from "zod";
import { readAuthenticator } from "#src/domain/people/authenticators/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AUTHENTICATOR_PATH } from "./authenticator.ts";

export const getMyAuthenticator = endpoint({
  operationId: "getMyAuthenticator",
  method: "get",
  path: AUTHENTICATOR_PATH,
  summary: "Get the caller's authenticator app",
  tag: "Accounts",
  access: { user: "any" },
  response: {
    status: 200,
    schema: z.object({
      is_on: z.boolean(),
      since: z.iso.datetime().nullable(),
      recovery_codes_left: z.int(),
    }),
  },
  async handler({ services, caller }) {
    const { since, recoveryCodesLeft } = await readAuthenticator(services, caller.userId);
    return {
      is_on: since !== null,
      since: since?.toISOString() ?? null,
      recovery_codes_left: recoveryCodesLeft,
    };
  },
});
