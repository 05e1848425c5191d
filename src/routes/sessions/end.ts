import { z } from "zod";
import { endSession as end } from "#src/domain/sessions/index.ts";
import { endpoint } from "#src/http/endpoint.ts";

export const endSession = endpoint({
  method: "delete",
  path: "/api/auth/sessions/:session",
  aliases: ["/auth/sessions/:session"],
  summary: "End one of the caller's sessions, its tokens with it",
  tag: "Sessions",
  access: { user: "any" },
  params: z.object({ session: z.string() }),
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, params, client }) {
    await end(services, caller, params.session, client);
    return null;
  },
});
