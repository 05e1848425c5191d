import { z } from "zod";
import { beginOAuthLogin } from "#src/domain/people/oauth/index.ts";
import { oauthStateCookie } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { prefersHtml } from "#src/http/prefers-html.ts";
import { PROVIDER, ProviderParams } from "./provider.ts";

export const authorize = endpoint({
  operationId: "beginProviderSignIn",
  method: "get",
  path: `/api/auth/${PROVIDER}/authorize`,
  aliases: [`/auth/${PROVIDER}/authorize`],
  summary: "Begin a provider sign-in",
  description:
    "Returns the address to send the browser to, or a redirect (302) when the client's `Accept` prefers HTML.",
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
