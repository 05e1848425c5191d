import { z } from "zod";
import { describeUser } from "#src/domain/people/accounts/index.ts";
import { changeAccount } from "#src/domain/administration/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AdminUserParams, Changed, Reason } from "./user.ts";

export const enableUser = endpoint({
  operationId: "enableUser",
  method: "post",
  path: "/api/admin/users/:user/enable",
  summary: "Enable an account",
  description: "The account's API keys work again. Its ended sessions do not.",
  tag: "Administration",
  access: { user: "superuser" },
  params: AdminUserParams,
  example: { reason: "Asked for it" },
  body: z.object({ reason: Reason.nullish() }),
  response: { status: 200, schema: Changed },
  async handler({ services, caller, params, body, client }) {
    const by = { caller, address: client.address, reason: body.reason ?? undefined };
    const user = await changeAccount(services, by, params.user, { isActive: true });
    return { success: true as const, user: describeUser(user) };
  },
});
