import { z } from "zod";
import { describeUser } from "#src/domain/people/accounts/index.ts";
import { changeAccount } from "#src/domain/administration/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AdminUserParams, Changed, Reason } from "./user.ts";

export const disableUser = endpoint({
  operationId: "disableUser",
  method: "post",
  path: "/api/admin/users/:user/disable",
  summary: "Disable an account",
  description:
    "Takes effect at once: the account's sessions and keys are refused, and its running work is stopped.",
  tag: "Administration",
  access: { user: "superuser" },
  params: AdminUserParams,
  example: { reason: "Asked for it" },
  body: z.object({ reason: Reason.nullish() }),
  refusals: [409],
  response: { status: 200, schema: Changed },
  async handler({ services, caller, params, body, client }) {
    const by = { caller, address: client.address, reason: body.reason ?? undefined };
    const user = await changeAccount(services, by, params.user, { isActive: false });
    return { success: true as const, user: describeUser(user) };
  },
});
