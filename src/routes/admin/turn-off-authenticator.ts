import { z } from "zod";
import { turnOffAuthenticatorOf } from "#src/domain/administration/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AdminUserParams, Reason } from "./user.ts";

export const turnOffAuthenticator = endpoint({
  operationId: "turnOffAuthenticator",
  method: "post",
  path: "/api/admin/users/:user/turn-off-authenticator",
  summary: "Turn a person's authenticator app off",
  description: "For a person who has lost it together with the recovery codes.",
  tag: "Administration",
  access: { user: "superuser" },
  params: AdminUserParams,
  example: { reason: "Lost the phone; known by voice" },
  body: z.object({ reason: Reason.nullish() }),
  refusals: [409],
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params, body, client }) {
    const by = { caller, address: client.address, reason: body.reason ?? undefined };
    await turnOffAuthenticatorOf(services, by, params.user);
    return null;
  },
});
