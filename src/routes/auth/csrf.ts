import { z } from "zod";
import { csrfCookie } from "#src/http/cookies.ts";
import { accessTokenOf } from "#src/http/credentials.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";

export const csrf = endpoint({
  operationId: "getCsrfToken",
  method: "get",
  path: "/api/auth/csrf",
  aliases: ["/auth/csrf"],
  summary: "Get a CSRF token",
  description: "Returns the session's token for `X-CSRF-Token`, and sets it as a cookie.",
  tag: "Sessions",
  access: "public",
  response: { status: 200, schema: z.object({ csrf_token: z.string() }) },
  async handler({ services, request }) {
    const accessToken = accessTokenOf(request, services.config);
    const claims = accessToken ? await services.accessTokens.verify(accessToken) : undefined;
    const token = await services.csrfTokens.issue(claims?.sessionId);
    return new Reply(
      { csrf_token: token },
      { ...csrfCookie(services.config, token), "Cache-Control": "no-store" },
    );
  },
});
