import { z } from "zod";
import { cancelSubscriptionsWithoutTeam } from "#src/domain/billing/subscriptions/index.ts";
import { deleteAccount } from "#src/domain/administration/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { USER_PATH, UserParams } from "./user.ts";

export const deleteUser = endpoint({
  operationId: "deleteUser",
  method: "delete",
  path: USER_PATH,
  summary: "Delete an account",
  description:
    "With its projects and the subscriptions of its teams. Refused when other people depend on the projects or teams of the account.",
  tag: "Administration",
  access: { user: "superuser" },
  params: UserParams,
  refusals: [409],
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params, client }) {
    await deleteAccount(services, { caller, address: client.address }, params.user);
    await cancelSubscriptionsWithoutTeam(services);
    return null;
  },
});
