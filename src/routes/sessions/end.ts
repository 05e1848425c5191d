import { z } from "zod";
import * as sessions from "#src/domain/access/sessions/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

export const endSession = endpoint({
  operationId: "endSession",
  method: "delete",
  path: "/api/auth/sessions/:session",
  aliases: ["/auth/sessions/:session"],
  summary: "End a session",
  description: "One of the caller's sessions. Its tokens become invalid.",
  tag: "Sessions",
  access: { user: "any" },
  params: z.object({ session: z.string() }),
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params, client }) {
    await sessions.endSession(services, caller, params.session, client);
    return null;
  },
});
