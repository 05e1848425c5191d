import { z } from "zod";
import { endOtherSessions as endOthers } from "#src/domain/sessions/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

export const endOtherSessions = endpoint({
  method: "delete",
  path: "/api/auth/sessions",
  aliases: ["/auth/sessions"],
  summary: "End all of the caller's sessions but the one of this request",
  tag: "Sessions",
  access: { user: "any" },
  response: { status: 200, schema: z.object({ ended: z.int() }) },
  handler: async ({ services, caller, client }) => ({ ended: await endOthers(services, caller, client) }),
});
