import { z } from "zod";
import { beginConnection, finishConnection, GIT_HOSTS } from "#src/domain/source-control/git-hosts/index.ts";
import { cookieOf, noOauthStateCookie, oauthStateCookie } from "#src/http/cookies.ts";
import { endpoint, Reply } from "#src/http/endpoint.ts";
import { prefersHtml } from "#src/http/prefers-html.ts";
import { onceMore, parametersOf, personOf } from "#src/http/return-from-provider.ts";
import { AppError } from "#src/lib/errors.ts";
import { Connected, HOST, HostParams } from "./provider.ts";

const COOKIE = "git_oauth_state";

export const authorizeHost = endpoint({
  operationId: "beginGitHostConnection",
  method: "get",
  path: `/api/git-providers/${HOST}/oauth/authorize`,
  summary: "Begin a git host connection",
  description: "Returns the address to send the browser to.",
  tag: "Git hosts",
  access: { user: "any" },
  params: HostParams,
  refusals: [503],
  response: {
    status: 200,
    schema: z.object({ authorization_url: z.url(), state: z.string(), provider: z.enum(GIT_HOSTS) }),
  },
  async handler({ services, caller, params }) {
    const begun = await beginConnection(services, caller.sessionId, params.git_host);
    const { value, maxAgeSeconds } = begun.cookie;
    return new Reply(
      { authorization_url: begun.authorizationUrl, state: begun.state, provider: params.git_host },
      {
        "Set-Cookie": oauthStateCookie(services.config, value, maxAgeSeconds, COOKIE),
        "Cache-Control": "no-store",
      },
    );
  },
});

/** For the API reference only. The handler parses the raw query, which may come from an attacker. */
const given = z.string().optional().catch(undefined);

export const hostCallback = endpoint({
  operationId: "finishGitHostConnection",
  method: "get",
  path: `/api/git-providers/${HOST}/oauth/callback`,
  summary: "Finish a git host connection",
  description:
    "The git host sends the browser back here. The caller must still be signed in to the same account. Returns a page when the client's `Accept` prefers HTML.",
  tag: "Git hosts",
  access: "public",
  params: HostParams,
  query: z.object({ state: given, code: given, error: given }),
  refusals: [404],
  response: { status: 200, schema: Connected },
  async handler({ services, params, request, client }) {
    const headers = {
      "Set-Cookie": noOauthStateCookie(services.config, COOKIE),
      "Cache-Control": "no-store",
      Vary: "Accept",
    };
    const wantsPage = prefersHtml(request);
    const again = wantsPage ? onceMore(services.config, request, "Git host") : undefined;
    if (again) return again;
    try {
      const { label, username } = await finishConnection(services, {
        host: params.git_host,
        parameters: parametersOf(request),
        visitor: await personOf(services, request),
        cookie: cookieOf(request, services.config, COOKIE),
        client,
      });
      const message = `${label} is connected`;
      if (wantsPage) return page(200, message, headers);
      const connected = { message, connected: true as const, provider: params.git_host };
      return new Reply({ ...connected, provider_username: username }, headers);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "invalid_input") throw error;
      if (wantsPage) return page(400, PAGE_REASONS[error.message] ?? error.message, headers);
      throw new AppError("invalid_input", error.message, { headers });
    }
  },
});

/** Sentences for people, by the error code for programs. */
const PAGE_REASONS: Readonly<Record<string, string>> = {
  INVALID_STATE_TOKEN:
    "This link is not valid in this browser, or you are signed in to a different account: sign in and begin again",
  STATE_TOKEN_EXPIRED: "This took too long: begin again",
};

/** A page with one of the service's own sentences. */
function page(status: number, sentence: string, headers: Readonly<Record<string, string>>): Response {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Git host</title><p>${sentence}. You can close this window.</p></html>`;
  return new Response(html, { status, headers: { ...headers, "Content-Type": "text/html; charset=utf-8" } });
}
