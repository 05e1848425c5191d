import { z } from "zod";
import { listSessions as list } from "#src/domain/sessions/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeSession, Session } from "./session.ts";

export const listSessions = endpoint({
  method: "get",
  path: "/api/auth/sessions",
  aliases: ["/auth/sessions"],
  summary: "The caller's sessions that are not over, the one used last first",
  tag: "Sessions",
  access: { user: "any" },
  response: { status: 200, schema: z.array(Session) },
  handler: async ({ services, caller }) => (await list(services, caller)).map(describeSession),
});
