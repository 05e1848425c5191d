import { createHash } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { createHosting } from "#src/platform/hosting/index.ts";
import type { HostingName, HostingOAuth } from "#src/platform/hosting/hosting.ts";
import { startTestHosting } from "#test/stand-ins/support/hosting.ts";
import { REDIRECT_URI, testOptions } from "./support/options.ts";

const FLOW = { state: "state-of-the-flow", verifier: "v".repeat(64), nonce: "n".repeat(64) };

const FOR_EVER = { refreshToken: null, expiresAt: null };
const FOR_A_WHILE = { refreshToken: expect.any(String), expiresAt: expect.any(Date) };

/** Where each asks for consent at the stand-in, what it grants, and where a token is tried. */
const PROVIDERS = [
  { name: "vercel", consent: "/vercel/oauth/authorize", granted: FOR_EVER, whoami: "/vercel/v2/user" },
  { name: "netlify", consent: "/netlify/authorize", granted: FOR_EVER, whoami: "/netlify/api/v1/user" },
  { name: "heroku", consent: "/heroku/oauth/authorize", granted: FOR_A_WHILE, whoami: "/heroku/account" },
  {
    name: "digitalocean",
    consent: "/digitalocean/v1/oauth/authorize",
    granted: FOR_A_WHILE,
    whoami: "/digitalocean/v2/account",
  },
] as const;

const hosting = await startTestHosting();
afterAll(() => hosting.close());

function oauthOf(name: HostingName): HostingOAuth {
  const oauth = createHosting(testOptions({ standinUrl: hosting.url })).oauth(name);
  if (!oauth) throw new Error("The stand-in has an app");
  return oauth;
}

/** Presses a button of the consent page: what the browser comes back with. */
async function press(oauth: HostingOAuth, decision = "allow"): Promise<URLSearchParams> {
  const url = new URL(await oauth.authorizationUrl(FLOW));
  const response = await hosting.call(url.pathname + url.search, {
    method: "POST",
    body: new URLSearchParams({ account: "ada", decision }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", origin: hosting.url },
    token: null,
  });
  const back = new URL(response.headers.get("location") ?? "");
  expect([response.status, back.href.startsWith(REDIRECT_URI)]).toEqual([303, true]);
  return back.searchParams;
}

async function statusOf(whoami: string, token: string): Promise<number> {
  const headers = { accept: "application/vnd.heroku+json; version=3" };
  return (await hosting.call(whoami, { token, headers })).status;
}

describe.each(PROVIDERS)("access to $name", ({ name, consent, granted, whoami }) => {
  it("is asked for with a challenge of the verifier", async () => {
    const url = new URL(await oauthOf(name).authorizationUrl(FLOW));
    expect(url.origin + url.pathname).toBe(hosting.url + consent);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: "code",
      client_id: "standin",
      redirect_uri: REDIRECT_URI,
      state: FLOW.state,
      code_challenge_method: "S256",
      code_challenge: createHash("sha256").update(FLOW.verifier).digest("base64url"),
    });
    expect(url.href).not.toContain(FLOW.verifier);
    const page = await hosting.call(url.pathname + url.search, { token: null });
    expect(await page.text()).toMatch(/Allow[\s\S]*Deny/u);
  });

  it("is exchanged for the code, once, and refreshed where it expires", async () => {
    const oauth = oauthOf(name);
    expect(oauth.isStandin).toBe(true);
    const back = await press(oauth);
    const grant = await oauth.exchange(back, FLOW);
    expect(grant).toMatchObject(granted);
    expect(await statusOf(whoami, grant.accessToken)).toBe(200);
    const failure: unknown = await oauth.exchange(back, FLOW).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "OAuthFailure" });
    expect(failure).not.toHaveProperty("cause");
    expect(String(failure)).not.toContain(back.get("code"));

    const refreshed = await oauth.refresh(grant.refreshToken ?? "").catch(() => undefined);
    expect(refreshed !== undefined).toBe(granted === FOR_A_WHILE);
    expect(await statusOf(whoami, refreshed?.accessToken ?? grant.accessToken)).toBe(200);
  });

  it("is not exchanged without the person's consent, for another flow, or with another verifier", async () => {
    const oauth = oauthOf(name);
    await hosting.control("calls/clear");
    const denied = await press(oauth, "deny");
    expect([denied.get("error"), denied.get("code")]).toEqual(["access_denied", null]);
    const failed = { name: "OAuthFailure" };
    await expect(oauth.exchange(denied, FLOW)).rejects.toMatchObject(failed);
    const back = await press(oauth);
    await expect(oauth.exchange(back, { ...FLOW, state: "another" })).rejects.toMatchObject(failed);
    const { counts } = await hosting.json<{ counts: object }>("/_standin/calls");
    expect(Object.keys(counts).filter((call) => call.endsWith("token"))).toEqual([]);
    await expect(oauth.exchange(back, { ...FLOW, verifier: "w".repeat(64) })).rejects.toMatchObject(failed);
  });
});

it("stores what Vercel and Netlify tell of the account", async () => {
  const [vercel, netlify] = [oauthOf("vercel"), oauthOf("netlify")];
  const { accessToken } = await vercel.exchange(await press(vercel), FLOW);
  const at = "/vercel/v2/teams";
  const { teams } = await hosting.json<{ teams: { id: string; name: string }[] }>(at, { token: accessToken });
  const back = await press(vercel);
  back.set("teamId", teams[0]?.id ?? "");
  back.set("configurationId", "icfg_1");
  expect((await vercel.exchange(back, FLOW)).metadata).toEqual({
    team_id: teams[0]?.id,
    configuration_id: "icfg_1",
    account_name: teams[0]?.name,
  });
  const { metadata } = await netlify.exchange(await press(netlify), FLOW);
  expect(metadata).toEqual({ account_name: expect.stringMatching(/./u) });
});

it("is at the provider with a client of its own, and nowhere without a client or a stand-in", async () => {
  const oauth = { clientId: "c", clientSecret: "s", oauthBase: "https://app.netlify.test" };
  const own = createHosting(testOptions({ oauth, standinUrl: hosting.url })).oauth("netlify");
  expect(own?.isStandin).toBe(false);
  expect(await own?.authorizationUrl(FLOW)).toMatch(
    /^https:\/\/app\.netlify\.test\/authorize\?.*client_id=c&/u,
  );
  expect(createHosting(testOptions({})).oauth("netlify")).toBeUndefined();
  expect(createHosting(testOptions({ standinUrl: hosting.url })).oauth("cloudflare")).toBeUndefined();
});
