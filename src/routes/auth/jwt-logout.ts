import { z } from "zod";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { endSessions } from "./end-sessions.ts";

export const jwtLogout = endpoint({
  operationId: "logout",
  method: "post",
  path: "/api/auth/jwt/logout",
  aliases: ["/auth/jwt/logout", "/api/auth/cookie/logout", "/auth/cookie/logout"],
  summary: "Sign out",
  description: "The same as logout, for a caller who is signed in.",
  tag: "Sessions",
  access: { user: "any" },
  response: { status: 204, schema: z.null() },
  handler: async (call) => new Reply(null, await endSessions(call)),
});
