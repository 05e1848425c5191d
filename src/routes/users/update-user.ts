import { z } from "zod";
import { describeUser } from "#src/domain/people/accounts/index.ts";
import { changeAccount } from "#src/domain/administration/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AccountBody, User, USER_PATH, UserParams } from "./user.ts";

export const updateUser = endpoint({
  operationId: "updateUser",
  method: "patch",
  path: USER_PATH,
  summary: "Update an account",
  description:
    "For administrators. A new password ends the account's sessions, and so does disabling the account.",
  tag: "Administration",
  access: { user: "superuser" },
  params: UserParams,
  example: { is_verified: true },
  body: AccountBody.extend({
    is_active: z.boolean().optional(),
    is_superuser: z.boolean().optional(),
    is_verified: z.boolean().optional(),
  }),
  refusals: [409, 429],
  response: { status: 200, schema: User },
  async handler({ services, caller, params, body, client }) {
    const { is_active: isActive, is_superuser: isSuperuser, is_verified: isVerified, ...rest } = body;
    const { current_password: currentPassword, ...own } = rest;
    const wish = { ...own, currentPassword, isActive, isSuperuser, isVerified };
    const by = { caller, address: client.address };
    return describeUser(await changeAccount(services, by, params.user, wish));
  },
});
