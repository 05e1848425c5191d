import { z } from "zod";
import * as sessions from "#src/domain/access/sessions/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeSession, Session } from "./session.ts";

export const listSessions = endpoint({
  operationId: "listSessions",
  method: "get",
  path: "/api/auth/sessions",
  aliases: ["/auth/sessions"],
  summary: "List sessions",
  description: "The caller's active sessions, last used first.",
  tag: "Sessions",
  access: { user: "any" },
  response: { status: 200, schema: z.array(Session) },
  handler: async ({ services, caller }) =>
    (await sessions.listSessions(services, caller)).map(describeSession),
});
