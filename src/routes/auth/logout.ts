import { z } from "zod";
import { endSession } from "#src/domain/sessions/index.ts";
import { noRefreshCookie, refreshTokenOf } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";

export const logout = endpoint({
  method: "post",
  path: "/api/auth/logout",
  aliases: ["/auth/logout"],
  summary: "End the session of the refresh cookie and clear the cookie; fine to repeat",
  tag: "Accounts",
  access: "public",
  response: { status: 200, schema: z.object({ detail: z.string() }) },
  async handler({ services, request }) {
    await endSession(services, refreshTokenOf(request));
    return new Reply({ detail: "Logged out" }, noRefreshCookie(services.config));
  },
});
