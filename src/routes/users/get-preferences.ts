import { describePreferences, requireAccount } from "#src/domain/people/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Preferences } from "./preferences.ts";

export const getPreferences = endpoint({
  operationId: "getPreferences",
  method: "get",
  path: "/api/users/preferences",
  aliases: ["/users/preferences"],
  summary: "Get preferences",
  description: "How the console looks to the caller, and what tells of the caller's long tasks.",
  tag: "Accounts",
  access: { user: "any" },
  response: { status: 200, schema: Preferences },
  handler: async ({ services, caller }) => describePreferences(await requireAccount(services, caller.userId)),
});
