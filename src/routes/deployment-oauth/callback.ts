import { z } from "zod";
import { finishConnection } from "#src/domain/hosting/credentials/index.ts";
import { cookieOf, noOauthStateCookie } from "#src/http/cookies.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { onceMore, parametersOf, personOf } from "#src/http/return-from-provider.ts";
import { AppError } from "#src/lib/errors.ts";
import { closingPage } from "./closing-page.ts";
import { COOKIE, PROVIDER, ProviderParams } from "./provider.ts";

/** For the API reference only. The handler parses the raw query, which may come from an attacker. */
const given = z.string().optional().catch(undefined);

export const hostingCallback = endpoint({
  operationId: "finishHostingConnection",
  method: "get",
  path: `/api/deployment-oauth/${PROVIDER}/callback`,
  summary: "Finish a hosting connection",
  description:
    "The provider sends the browser back here, in the session that began the connection. Returns a page that closes its window, also when the account was not connected.",
  tag: "Deployment credentials",
  access: "public",
  params: ProviderParams,
  query: z.object({ state: given, code: given, error: given, error_description: given }),
  refusals: [404],
  response: { status: 200, schema: z.string(), mediaType: "text/html" },
  async handler({ services, params, request, client }) {
    const again = onceMore(services.config, request, "Hosting provider");
    if (again) return again;
    const headers = {
      "Set-Cookie": noOauthStateCookie(services.config, COOKIE),
      "Cache-Control": "no-store",
    };
    try {
      const finished = await finishConnection(services, {
        provider: params.hosting_provider,
        parameters: parametersOf(request),
        visitor: await personOf(services, request),
        cookie: cookieOf(request, services.config, COOKIE),
        client,
      });
      return closingPage(finished, headers);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "invalid_input") throw error;
      throw new AppError("invalid_input", error.message, { headers });
    }
  },
});
