import { z } from "zod";
import * as sessions from "#src/domain/access/sessions/index.ts";
import { disconnectAllApps } from "#src/domain/programs/connected-apps/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

export const endOtherSessions = endpoint({
  operationId: "endOtherSessions",
  method: "delete",
  path: "/api/auth/sessions",
  aliases: ["/auth/sessions"],
  summary: "End other sessions",
  description:
    "All of the caller's sessions except the one of this request, and all connected apps with the tasks that they started.",
  tag: "Sessions",
  access: { user: "any" },
  response: { status: 200, schema: z.object({ ended: z.int() }) },
  async handler({ services, caller, client }) {
    const ended = await sessions.endOtherSessions(services, caller, client);
    return { ended: ended + (await disconnectAllApps(services, caller, client)) };
  },
});
