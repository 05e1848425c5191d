import { z } from "zod";
import { beginConnection } from "#src/domain/hosting/credentials/index.ts";
import { oauthStateCookie } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { COOKIE, PROVIDER, ProviderParams } from "./provider.ts";

export const authorizeHosting = endpoint({
  operationId: "beginHostingConnection",
  method: "get",
  path: `/api/deployment-oauth/${PROVIDER}/authorize`,
  summary: "Begin a hosting connection",
  description:
    "Returns the address to send the browser to. The account is connected to the caller, in the session that began it.",
  tag: "Deployment credentials",
  access: { user: "any" },
  params: ProviderParams,
  query: z.object({
    project_id: text({ max: 100 })
      .optional()
      .describe("Id or slug of a project in which the caller may deploy; without one, the default of all"),
  }),
  refusals: [403, 404, 501],
  response: { status: 200, schema: z.object({ auth_url: z.url() }) },
  async handler({ services, caller, params, query }) {
    const wish = { provider: params.hosting_provider, project: query.project_id || null };
    const { authorizationUrl, cookie } = await beginConnection(services, caller, wish);
    return new Reply(
      { auth_url: authorizationUrl },
      {
        "Set-Cookie": oauthStateCookie(services.config, cookie.value, cookie.maxAgeSeconds, COOKIE),
        "Cache-Control": "no-store",
      },
    );
  },
});
