import { describeUser } from "#src/domain/people/accounts/index.ts";
import { findAccount } from "#src/domain/administration/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { User, USER_PATH, UserParams } from "./user.ts";

export const getUser = endpoint({
  operationId: "getUser",
  method: "get",
  path: USER_PATH,
  summary: "Get an account",
  description: "For administrators.",
  tag: "Administration",
  access: { user: "superuser" },
  params: UserParams,
  response: { status: 200, schema: User },
  handler: async ({ services, params }) => describeUser((await findAccount(services, params.user)).user),
});
