import { createHash } from "node:crypto";
import type http from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { html, redirect, sendPage } from "#stand-ins/shared/markup.ts";
import { sameText } from "#local/same-text.ts";
import { contentType, readBytes } from "./bodies.ts";
import { asUuid, hexOf } from "./ids.ts";
import { NOTICE, STANDS_FOR } from "./pages.ts";
import type { HostingParts } from "./parts.ts";
import type { GrantedTokens } from "./tokens.ts";
import type { Provider } from "./providers.ts";
import { type Answer, type Exchange, Refused, type Wire } from "./wire.ts";

/** The app that the service is at every provider. */
const CLIENT = { id: "standin", secret: "standin" };
const MAX_BODY_BYTES = 64 * 1024;

interface OAuthServer {
  provider: Provider;
  title: string;
  /** Where the consent page is. */
  authorize: string;
  /** Where tokens are granted: the base of the wire and the path below it. */
  token: { base: string; path: string };
  /** Seconds that an access token is good for; without it, it does not expire and there is no refresh token. */
  lifetime?: number;
  /** Whether a request without PKCE is refused. */
  needsPkce?: boolean;
  /** Whether the token request may be JSON as well as a form. */
  takesJson?: boolean;
  /** Further parameters of the way back. */
  callback?: (account: string) => Readonly<Record<string, string>>;
  /** Further fields of the answer with the tokens. */
  fields?: (granted: GrantedTokens) => object;
}

/**
 * The four providers with OAuth. Sources: https://vercel.com/docs/sign-in-with-vercel/authorization-server-api,
 * https://docs.netlify.com/api/get-started/#authentication, https://devcenter.heroku.com/articles/oauth (8 hours),
 * https://docs.digitalocean.com/reference/api/oauth (30 days).
 */
const SERVERS: readonly OAuthServer[] = [
  {
    provider: "vercel",
    title: "Vercel",
    authorize: "/vercel/oauth/authorize",
    token: { base: "/vercel", path: "login/oauth/token" },
    needsPkce: true,
    callback: (account) => ({ configurationId: `icfg_${hexOf(`configuration ${account}`).slice(0, 24)}` }),
    fields: ({ account }) => ({ user_id: account.slice(0, 24), team_id: null }),
  },
  {
    provider: "netlify",
    title: "Netlify",
    authorize: "/netlify/authorize",
    token: { base: "/netlify", path: "oauth/token" },
    takesJson: true,
    fields: () => ({ scope: "public", created_at: 0 }),
  },
  {
    provider: "heroku",
    title: "Heroku",
    authorize: "/heroku/oauth/authorize",
    token: { base: "/heroku", path: "oauth/token" },
    lifetime: 8 * 3_600,
    fields: ({ account }) => ({ user_id: asUuid(account), session_nonce: null }),
  },
  {
    provider: "digitalocean",
    title: "DigitalOcean",
    authorize: "/digitalocean/v1/oauth/authorize",
    token: { base: "/digitalocean", path: "v1/oauth/token" },
    lifetime: 30 * 86_400,
    fields: ({ account }) => ({
      scope: "read write",
      info: {
        name: `Person ${account.slice(0, 6)}`,
        email: `${account.slice(0, 6)}@digitalocean.invalid`,
        uuid: asUuid(account),
        team_uuid: asUuid(account),
        team_name: `Team ${account.slice(0, 6)}`,
      },
    }),
  },
];

/** The endpoints that grant tokens, as wires with one call. */
export const OAUTH_WIRES: readonly Wire[] = SERVERS.map((server) => ({
  provider: server.provider,
  base: server.token.base,
  calls: [
    { method: "POST", path: server.token.path, isOpen: true, run: (each) => answerTokens(server, each) },
  ],
  refusal: (status) =>
    oauthError(status, status === 429 ? "slow_down" : "server_error", "The stand-in was told to fail"),
  unauthorized: () => oauthError(401, "invalid_client", "Unknown client"),
  invalid: (message) => oauthError(400, "invalid_request", message),
}));

/** RFC 6749, 5.2. */
function oauthError(status: number, error: string, description: string): Answer {
  return { status, json: { error, error_description: description } };
}

function refuse(error: string, description: string, status = 400): Refused {
  return new Refused(oauthError(status, error, description));
}

const Fields = z.record(z.string(), z.string());

async function fieldsOf(
  { takesJson = false }: OAuthServer,
  { request }: Exchange,
): Promise<Record<string, string>> {
  const body = (await readBytes(request, MAX_BODY_BYTES)).toString();
  const type = contentType(request);
  if (type.startsWith("application/x-www-form-urlencoded"))
    return Object.fromEntries(new URLSearchParams(body));
  const json = takesJson && type.startsWith("application/json") ? safeParseJson(body, Fields) : undefined;
  if (!json) throw refuse("invalid_request", "The Content-Type must be application/x-www-form-urlencoded");
  return json.value;
}

/** The client's id and secret, from the body or from Basic authentication. */
function checkClient({ headers }: http.IncomingMessage, fields: Readonly<Record<string, string>>): void {
  const basic = /^Basic (\S+)$/iu.exec(headers.authorization ?? "")?.[1];
  const [basicId, basicSecret] = Buffer.from(basic ?? "", "base64")
    .toString()
    .split(":");
  const id = fields["client_id"] ?? basicId;
  const secret = fields["client_secret"] ?? basicSecret;
  if (id !== CLIENT.id || !sameText(secret ?? "", CLIENT.secret)) {
    throw refuse("invalid_client", "The client's id or secret is wrong", 401);
  }
}

async function answerTokens(server: OAuthServer, exchange: Exchange): Promise<Answer> {
  const fields = await fieldsOf(server, exchange);
  checkClient(exchange.request, fields);
  const granted =
    fields["grant_type"] === "refresh_token"
      ? refresh(server, exchange, fields)
      : redeem(server, exchange, fields);
  return {
    status: 200,
    json: {
      access_token: granted.access,
      token_type: "Bearer",
      ...(granted.refresh !== undefined && { refresh_token: granted.refresh, expires_in: server.lifetime }),
      ...server.fields?.(granted),
    },
  };
}

function refresh(
  { provider, lifetime }: OAuthServer,
  { parts, now }: Exchange,
  fields: Readonly<Record<string, string>>,
): GrantedTokens {
  const token = fields["refresh_token"] ?? "";
  const granted = lifetime === undefined ? undefined : parts.tokens.refresh(provider, token, lifetime, now);
  if (!granted) throw refuse("invalid_grant", "The refresh token is unknown or has been used");
  return granted;
}

/** Exchanges a code, which is spent even if the rest of the request is wrong. */
function redeem(
  { provider, lifetime }: OAuthServer,
  { parts, now }: Exchange,
  fields: Readonly<Record<string, string>>,
): GrantedTokens {
  if (fields["grant_type"] !== "authorization_code") {
    throw refuse("unsupported_grant_type", "grant_type must be authorization_code or refresh_token");
  }
  const code = parts.tokens.takeCode(provider, fields["code"] ?? "", now);
  if (!code) throw refuse("invalid_grant", "The code is unknown, over or has been used");
  if (fields["redirect_uri"] !== code.redirectUri)
    throw refuse("invalid_grant", "The redirect_uri is another one");
  const challenge = createHash("sha256")
    .update(fields["code_verifier"] ?? "")
    .digest("base64url");
  if (code.challenge !== undefined && code.challenge !== challenge) {
    throw refuse("invalid_grant", "The code_verifier is wrong");
  }
  return parts.tokens.grant(provider, code.account, lifetime, now);
}

/** A request for consent, as far as the person may be led back. */
interface Consent {
  server: OAuthServer;
  redirectUri: string;
  state: string | undefined;
  challenge: string | undefined;
}

/** Serves the consent pages; returns false for other addresses. */
export async function serveConsent(
  parts: HostingParts,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  url: URL,
): Promise<boolean> {
  const server = SERVERS.find(({ authorize }) => authorize === url.pathname);
  if (!server || !["GET", "POST"].includes(request.method ?? "")) return false;
  const problem = problemOf(parts, server, url.searchParams);
  if (problem !== undefined) {
    const page = { standsFor: STANDS_FOR, notice: NOTICE, title: `Connect ${server.title}` };
    sendPage(response, {
      ...page,
      status: 400,
      body: html`<section><p class="bad">${problem}</p></section>`,
    });
    return true;
  }
  const consent: Consent = {
    server,
    redirectUri: url.searchParams.get("redirect_uri") ?? "",
    state: url.searchParams.get("state") ?? undefined,
    challenge: url.searchParams.get("code_challenge") ?? undefined,
  };
  if (request.method === "GET") askConsent(response, consent, url);
  else redirect(response, decide(parts, consent, new URLSearchParams(await text(request))));
  return true;
}

/** Why no person is asked for consent. A request that may name another address to return to is not redirected. */
function problemOf(
  { callbacks }: HostingParts,
  { needsPkce = false }: OAuthServer,
  parameters: URLSearchParams,
): string | undefined {
  if (parameters.get("client_id") !== CLIENT.id) return `The client id is not ${CLIENT.id}.`;
  const redirectUri = URL.parse(parameters.get("redirect_uri") ?? "");
  if (!redirectUri?.href.startsWith(callbacks)) return `The redirect_uri is not below ${callbacks}.`;
  if (parameters.get("response_type") !== "code") return "The response_type is not code.";
  const challenge = parameters.get("code_challenge");
  if (challenge === null) return needsPkce ? "The code_challenge is missing." : undefined;
  if (parameters.get("code_challenge_method") !== "S256") return "The code_challenge_method is not S256.";
  return /^[\w-]{43}$/u.test(challenge) ? undefined : "The code_challenge is no SHA-256.";
}

function askConsent(response: http.ServerResponse, { server }: Consent, url: URL): void {
  sendPage(response, {
    standsFor: STANDS_FOR,
    notice: NOTICE,
    title: `Connect ${server.title}`,
    body: html`<section>
      <p>The service wants to publish sites in an account at ${server.title}.</p>
      <form method="post" action="${url.pathname + url.search}">
        <p>
          <label>Account <input name="account" value="demo" maxlength="100" required /></label>
        </p>
        <button name="decision" value="allow">Allow</button>
        <button name="decision" value="deny">Deny</button>
      </form>
    </section>`,
  });
}

/** The address that the person is led to. */
function decide(
  { tokens, clock }: HostingParts,
  { server, redirectUri, state, challenge }: Consent,
  fields: URLSearchParams,
): string {
  const back = new URL(redirectUri);
  if (state !== undefined) back.searchParams.set("state", state);
  if (fields.get("decision") !== "allow") {
    back.searchParams.set("error", "access_denied");
    back.searchParams.set("error_description", "The person denied the request");
    return back.href;
  }
  const account = hexOf(`person ${fields.get("account") ?? ""}`);
  const code = tokens.addCode({ provider: server.provider, account, redirectUri, challenge }, clock());
  back.searchParams.set("code", code);
  for (const [name, value] of Object.entries(server.callback?.(account) ?? {}))
    back.searchParams.set(name, value);
  return back.href;
}
