import { z } from "zod";
import { finishOAuthLogin } from "#src/domain/people/oauth/index.ts";
import { cookieOf, noOauthStateCookie, sessionCookies } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { consoleUrl } from "#src/lib/console-url.ts";
import { AppError } from "#src/lib/errors.ts";
import { PROVIDER, ProviderParams } from "./provider.ts";

/** For the API reference only. The handler parses the raw query, which may come from an attacker. */
const given = z.string().optional().catch(undefined);
const Query = z.object({
  state: given.describe("The `state` that was sent to the provider"),
  code: given.describe("The provider's authorization code"),
  error: given.describe("The provider's error, when it gives no code"),
});

export const callback = endpoint({
  operationId: "finishProviderSignIn",
  method: "get",
  path: `/api/auth/${PROVIDER}/callback`,
  aliases: [`/auth/${PROVIDER}/callback`],
  summary: "Finish a provider sign-in",
  description:
    "The provider sends the browser back here. Sets the session's cookies and redirects to the console.",
  tag: "Accounts",
  access: "public",
  params: ProviderParams,
  query: Query,
  refusals: [404],
  response: {
    status: 303,
    schema: z.null(),
    description: "Redirects to the console's `/oauth/callback`, or to `/login?error=oauth_failed`",
  },
  async handler({ services, params, request, client }) {
    const { config } = services;
    const returned = {
      provider: params.provider,
      parameters: new URL(request.url).searchParams,
      cookie: cookieOf(request, config, "oauth_state"),
    };
    const outcome = await finishOAuthLogin(services, returned, client);
    const done = noOauthStateCookie(config);
    if (outcome.kind === "refused") {
      throw new AppError("invalid_input", outcome.detail, { headers: { "Set-Cookie": done } });
    }
    const signedIn = outcome.kind === "signed_in" && sessionCookies(config, outcome.session);
    return new Reply(null, {
      Location: consoleUrl(config, signedIn ? "/oauth/callback" : "/login?error=oauth_failed"),
      "Set-Cookie": [...(signedIn ? signedIn["Set-Cookie"] : []), done],
      "Cache-Control": "no-store",
    });
  },
});
