import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PUBLIC_URL, startTestHosting, type TestHosting } from "../support/hosting.ts";

let hosting: TestHosting;

beforeAll(async () => {
  hosting = await startTestHosting();
});
afterAll(() => hosting.close());

const VERIFIER = "a-verifier-of-at-least-forty-three-characters-1";
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");

/** One whose access does not expire, and one whose does. A client of all is shown in test/platform/hosting/oauth.test.ts. */
const SERVERS = [
  {
    provider: "vercel",
    authorize: "/vercel/oauth/authorize",
    token: "/vercel/login/oauth/token",
    whoami: "/vercel/v2/user",
    lifetime: undefined,
  },
  {
    provider: "heroku",
    authorize: "/heroku/oauth/authorize",
    token: "/heroku/oauth/token",
    whoami: "/heroku/account",
    lifetime: 8 * 3_600,
  },
] as const;
type Server = (typeof SERVERS)[number];

interface Tokens {
  access_token: string;
  refresh_token?: string;
  expires_in?: number;
}

const redirectOf = ({ provider }: Server) => `${PUBLIC_URL}/api/deployment-oauth/${provider}/callback`;

function consentAt(server: Server, changed: Readonly<Record<string, string>> = {}): string {
  const parameters = {
    client_id: "standin",
    redirect_uri: redirectOf(server),
    response_type: "code",
    state: "the-state",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    ...changed,
  };
  return `${server.authorize}?${new URLSearchParams(parameters)}`;
}

/** Allows it on the consent page, and returns where that leads. */
async function allow(server: Server): Promise<URL> {
  const response = await hosting.call(consentAt(server), {
    method: "POST",
    body: new URLSearchParams({ account: "ada", decision: "allow" }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", origin: hosting.url },
    token: null,
  });
  expect(response.status).toBe(303);
  return new URL(response.headers.get("location") ?? "");
}

function ask({ token }: Server, fields: Readonly<Record<string, string>>): Promise<Response> {
  const client = { client_id: "standin", client_secret: "standin" };
  return hosting.call(token, {
    method: "POST",
    body: new URLSearchParams({ ...client, ...fields }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
    token: null,
  });
}

async function redeem(server: Server, changed: Readonly<Record<string, string>> = {}): Promise<Response> {
  const code = (await allow(server)).searchParams.get("code") ?? "";
  const fields = { grant_type: "authorization_code", code, redirect_uri: redirectOf(server) };
  return ask(server, { ...fields, code_verifier: VERIFIER, ...changed });
}

async function tokensOf(response: Response): Promise<Tokens> {
  expect(response.status).toBe(200);
  return JSON.parse(await response.text());
}

async function statusOf({ whoami }: Server, token: string): Promise<number> {
  const headers = { accept: "application/vnd.heroku+json; version=3" };
  return (await hosting.call(whoami, { token, headers })).status;
}

describe.each(SERVERS)("OAuth of $provider", (server) => {
  it("checks the verifier, the address and the client", async () => {
    expect((await redeem(server, { code_verifier: "other" })).status).toBe(400);
    expect((await redeem(server, { redirect_uri: `${PUBLIC_URL}/api/deployment-oauth/other` })).status).toBe(
      400,
    );
    expect((await redeem(server, { client_secret: "other" })).status).toBe(401);
    expect((await redeem(server, { code: "other" })).status).toBe(400);
  });

  it("leads nobody to another address, or from another page", async () => {
    for (const redirect_uri of [
      "http://evil.test/api/deployment-oauth/",
      `${PUBLIC_URL}/api/other`,
      "none",
    ]) {
      const response = await hosting.call(consentAt(server, { redirect_uri }), { token: null });
      expect([response.status, response.headers.get("location")]).toEqual([400, null]);
    }
    for (const origin of ["http://evil.test", "http://site.localhost"]) {
      const response = await hosting.call(consentAt(server), {
        method: "POST",
        body: "",
        headers: { origin },
      });
      expect(response.status).toBe(403);
    }
  });

  it("ends access tokens on a control, and refreshes those that expire, once", async () => {
    const granted = await tokensOf(await redeem(server));
    expect((await hosting.control("tokens/expire", { provider: server.provider })).status).toBe(200);
    expect(await statusOf(server, granted.access_token)).toBeGreaterThan(400);
    const fields = { grant_type: "refresh_token", refresh_token: granted.refresh_token ?? "" };
    const refreshed = await ask(server, fields);
    expect(refreshed.status).toBe(server.lifetime === undefined ? 400 : 200);
    if (server.lifetime === undefined) return;
    const next = await tokensOf(refreshed);
    expect(await statusOf(server, next.access_token)).toBe(200);
    expect((await ask(server, fields)).status).toBe(400);
    hosting.pass(server.lifetime);
    expect(await statusOf(server, next.access_token)).toBe(401);
  });
});

it("insists on PKCE at Vercel", async () => {
  const [vercel] = SERVERS;
  const at = consentAt(vercel).replaceAll(/&code_challenge(?:_method)?=[^&]*/gu, "");
  expect((await hosting.call(at, { token: null })).status).toBe(400);
});
