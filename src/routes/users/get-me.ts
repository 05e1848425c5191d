import { describeUser, requireAccount } from "#src/domain/people/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { User } from "./user.ts";

export const getMe = endpoint({
  operationId: "getMe",
  method: "get",
  path: "/api/users/me",
  aliases: ["/users/me"],
  summary: "Get the caller's account",
  tag: "Accounts",
  access: { user: "any" },
  response: { status: 200, schema: User },
  handler: async ({ services, caller }) => describeUser(await requireAccount(services, caller.userId)),
});
