import { endpoint, Reply } from "#src/http/endpoint.ts";
import { Detail } from "#src/http/schemas.ts";
import { endSessions } from "./end-sessions.ts";

export const logout = endpoint({
  operationId: "logoutEverywhere",
  method: "post",
  path: "/api/auth/logout",
  aliases: ["/auth/logout"],
  summary: "Sign out everywhere",
  description:
    "Ends every session of the account and clears the cookies. Idempotent, also without a session.",
  tag: "Sessions",
  access: "public",
  response: { status: 200, schema: Detail },
  handler: async (call) => new Reply({ detail: "Logged out" }, await endSessions(call)),
});
