import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHosting } from "#src/platform/hosting/index.ts";
import type { HostingName, HostingOAuth } from "#src/platform/hosting/hosting.ts";
import { serve } from "#local/serve.ts";
import { testOptions } from "./support/options.ts";

const FLOW = { state: "state-of-the-flow", verifier: "v".repeat(64), nonce: "n".repeat(64) };
const NAMES = ["vercel", "netlify", "heroku", "digitalocean"] as const;

/** Where each asks for consent and exchanges codes at the stand-in. */
const PATHS = {
  vercel: ["/vercel/oauth/authorize", "/vercel/login/oauth/token"],
  netlify: ["/netlify/authorize", "/netlify/oauth/token"],
  heroku: ["/heroku/oauth/authorize", "/heroku/oauth/token"],
  digitalocean: ["/digitalocean/v1/oauth/authorize", "/digitalocean/v1/oauth/token"],
} as const;

let standin: { url: string; close: () => Promise<void> };
const asked: { path: string; body: URLSearchParams }[] = [];
let refuses = false;

beforeAll(async () => {
  standin = await serve(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://standin");
    const body = await text(request);
    const say = (json: object, status = 200) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
    if (pathname.endsWith("/token")) {
      asked.push({ path: pathname, body: new URLSearchParams(body) });
      if (refuses) return void say({ error: "invalid_grant", error_description: "standin_granted" }, 400);
      return void say({
        access_token: "standin_granted",
        token_type: "bearer",
        expires_in: 60,
        refresh_token: "r",
      });
    }
    if (request.headers.authorization !== "Bearer standin_granted") return void say({}, 401);
    if (pathname.endsWith("/v9/projects")) return void say({ projects: [] });
    if (pathname.endsWith("/v2/teams/team_1")) return void say({ id: "team_1", name: "Ada's team" });
    if (pathname.endsWith("/sites")) return void say([]);
    if (pathname.endsWith("/user")) return void say({ id: "u", full_name: "Ada" });
    return void say({}, 404);
  });
});
afterAll(() => standin.close());

function oauthOf(name: HostingName): HostingOAuth {
  const oauth = createHosting(testOptions({ standinUrl: standin.url })).oauth(name);
  if (!oauth) throw new Error("The stand-in has an app");
  return oauth;
}
const callback = (more = {}) => new URLSearchParams({ code: "the-code", state: FLOW.state, ...more });

describe.each(NAMES)("access to %s", (name) => {
  it("is asked for with a challenge of the verifier", async () => {
    const url = new URL(await oauthOf(name).authorizationUrl(FLOW));
    expect(url.origin + url.pathname).toBe(standin.url + PATHS[name][0]);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: "code",
      client_id: "standin",
      redirect_uri: "https://service.test/callback",
      state: FLOW.state,
      code_challenge_method: "S256",
      code_challenge: createHash("sha256").update(FLOW.verifier).digest("base64url"),
    });
    expect(url.href).not.toContain(FLOW.verifier);
  });

  it("is exchanged for the code, and refreshed", async () => {
    asked.length = 0;
    const oauth = oauthOf(name);
    expect(oauth.isStandin).toBe(true);
    const grant = await oauth.exchange(callback(), FLOW);
    expect(grant).toMatchObject({
      accessToken: "standin_granted",
      refreshToken: "r",
      expiresAt: expect.any(Date),
    });
    expect(await oauth.refresh("r")).toMatchObject({ accessToken: "standin_granted", metadata: {} });
    expect(asked.map(({ path }) => path)).toEqual([PATHS[name][1], PATHS[name][1]]);
    expect(Object.fromEntries(asked[0]?.body ?? [])).toMatchObject({
      code: "the-code",
      code_verifier: FLOW.verifier,
    });
    expect(Object.fromEntries(asked[1]?.body ?? [])).toMatchObject({
      grant_type: "refresh_token",
      refresh_token: "r",
    });
  });

  it.each([{ state: "another" }, { error: "access_denied" }])("is not exchanged for %j", async (more) => {
    asked.length = 0;
    await expect(oauthOf(name).exchange(callback(more), FLOW)).rejects.toMatchObject({
      name: "OAuthFailure",
    });
    expect(asked).toEqual([]);
  });

  it("fails without a secret when the code is refused", async () => {
    refuses = true;
    const failure: unknown = await oauthOf(name)
      .exchange(callback(), FLOW)
      .catch((error: unknown) => error);
    refuses = false;
    expect(failure).toMatchObject({ name: "OAuthFailure" });
    expect(failure).not.toHaveProperty("cause");
    expect(String(failure)).not.toContain("standin_granted");
  });
});

it("stores what Vercel and Netlify tell of the account", async () => {
  const vercel = await oauthOf("vercel").exchange(
    callback({ teamId: "team_1", configurationId: "icfg_1" }),
    FLOW,
  );
  expect(vercel.metadata).toEqual({
    team_id: "team_1",
    configuration_id: "icfg_1",
    account_name: "Ada's team",
  });
  const netlify = await oauthOf("netlify").exchange(callback(), FLOW);
  expect(netlify.metadata).toEqual({ account_name: "Ada" });
});

it("is at the provider with a client of its own, and nowhere without a client or a stand-in", async () => {
  const oauth = { clientId: "c", clientSecret: "s", oauthBase: "https://app.netlify.test" };
  const own = createHosting(testOptions({ oauth, standinUrl: standin.url })).oauth("netlify");
  expect(own?.isStandin).toBe(false);
  expect(await own?.authorizationUrl(FLOW)).toMatch(
    /^https:\/\/app\.netlify\.test\/authorize\?.*client_id=c&/u,
  );
  expect(createHosting(testOptions({})).oauth("netlify")).toBeUndefined();
  expect(createHosting(testOptions({ standinUrl: standin.url })).oauth("cloudflare")).toBeUndefined();
});
