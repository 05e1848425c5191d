import { requireAccount } from "#src/domain/people/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeProfile, Profile } from "./profile.ts";

export const getProfile = endpoint({
  operationId: "getProfile",
  method: "get",
  path: "/api/users/profile",
  aliases: ["/users/profile"],
  summary: "Get the caller's profile",
  description: "What other people see of the caller.",
  tag: "Accounts",
  access: { user: "any" },
  response: { status: 200, schema: Profile },
  handler: async ({ services, caller }) => describeProfile(await requireAccount(services, caller.userId)),
});
