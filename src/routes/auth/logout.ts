import { z } from "zod";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { endSessions } from "./end-sessions.ts";

export const logout = endpoint({
  method: "post",
  path: "/api/auth/logout",
  aliases: ["/auth/logout"],
  summary: "End every session of the account and clear the cookies; fine to repeat, and without a session",
  tag: "Sessions",
  access: "public",
  response: { status: 200, schema: z.object({ detail: z.string() }) },
  handler: async (call) => new Reply({ detail: "Logged out" }, await endSessions(call)),
});
