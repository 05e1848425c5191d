import { z } from "zod";
import { beginOAuthLogin } from "#src/domain/oauth/index.ts";
import { oauthStateCookie } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { prefersHtml } from "#src/http/prefers-html.ts";
import { PROVIDER, ProviderParams } from "./provider.ts";

export const authorize = endpoint({
  method: "get",
  path: `/api/auth/${PROVIDER}/authorize`,
  aliases: [`/auth/${PROVIDER}/authorize`],
  summary: "Begin to sign in through a provider; a redirect (302) for a client whose `Accept` prefers HTML",
  tag: "Accounts",
  access: "public",
  params: ProviderParams,
  refusals: [404, 503],
  response: { status: 200, schema: z.object({ authorization_url: z.url() }) },
  async handler({ services, params, request }) {
    const { authorizationUrl, cookie } = await beginOAuthLogin(services, params.provider);
    const headers = {
      "Set-Cookie": oauthStateCookie(services.config, cookie.value, cookie.maxAgeSeconds),
      "Cache-Control": "no-store",
      Vary: "Accept",
    };
    return prefersHtml(request)
      ? new Response(null, { status: 302, headers: { ...headers, Location: authorizationUrl } })
      : new Reply({ authorization_url: authorizationUrl }, headers);
  },
});
