import { decodeJwt, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { browser, type Browser } from "#test/support/browser.ts";
import {
  comeBack,
  FAILED,
  PROVIDERS,
  refusedWith,
  SIGNED_IN,
  startOAuthService,
  type ProviderName,
} from "#test/support/oauth-service.ts";

const oauth = await startOAuthService();
afterAll(() => oauth.close());
const { service, begin, goTo, meet } = oauth;

let last = 0;
beforeEach(() => {
  last += 1;
  for (const name of PROVIDERS) {
    meet(name, `refused${last}@example.com`);
    oauth.providers[name].requests.length = 0;
  }
});

const SPEND = { github: "POST /login/oauth/access_token", google: "POST /token" };
/** How often in this test a provider was asked to take a code. */
const spent = (provider: ProviderName) =>
  oauth.providers[provider].requests.filter((each) => each === SPEND[provider]).length;

const SECRET_KEY = service.stack.variables["SECRET_KEY"] ?? "";
const key = new TextEncoder().encode(SECRET_KEY);
const secrets = createSecrets(SECRET_KEY);

/** What the browser keeps of its sign-in, with something else in it, as only the service can write it. */
async function keptBy(who: Browser, change: Record<string, unknown>): Promise<string> {
  const cookie = decodeURIComponent(who.cookies.get("oauth_state") ?? "");
  const kept: Record<string, unknown> = JSON.parse(await secrets.decrypt(cookie));
  return encodeURIComponent(await secrets.encrypt(JSON.stringify({ ...kept, ...change })));
}

interface Claims {
  id?: string | undefined;
  provider?: string;
  audience?: string;
  expires?: string | number;
}

const claimsOf = ({ id = crypto.randomUUID(), provider = "github", ...claims }: Claims) =>
  new SignJWT({ provider })
    .setAudience(claims.audience ?? "workspace:oauth-state")
    .setIssuedAt()
    .setJti(id)
    .setExpirationTime(claims.expires ?? "5m");

const mint = (claims: Claims, secret = key, alg = "HS256") =>
  claimsOf(claims).setProtectedHeader({ alg }).sign(secret);

const unsigned = (id: string) =>
  new UnsecuredJWT({ provider: "github" })
    .setAudience("workspace:oauth-state")
    .setJti(id)
    .setExpirationTime("5m")
    .encode();

/** The state's own signature under other claims. */
function rewritten(state: string): string {
  const [header, , signature] = state.split(".");
  const claims = { ...decodeJwt(state), exp: 4_000_000_000 };
  return [header, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".");
}

const past = () => Math.floor(Date.now() / 1000) - 1;

/** What is changed about a browser that is about to come back from GitHub, and was fine until then. */
type Spoil = (about: { who: Browser; back: URL }) => unknown;

const withState =
  (stateOf: (state: string, id: string) => string | Promise<string>): Spoil =>
  async ({ back }) => {
    const state = back.searchParams.get("state") ?? "";
    back.searchParams.set("state", await stateOf(state, decodeJwt(state).jti ?? ""));
  };

const withCookie =
  (cookieOf: (who: Browser) => string | Promise<string>): Spoil =>
  async ({ who }) =>
    who.cookies.set("oauth_state", await cookieOf(who));

const otherSecret = key.map((byte) => byte ^ 1);

const INVALID: [name: string, spoil: Spoil][] = [
  ["is missing", ({ back }) => back.searchParams.delete("state")],
  ["is empty", withState(() => "")],
  ["is garbage", withState(() => "a.b.c")],
  ["is no text", withState(() => "\0\uFFFD")],
  ["says something else", withState(rewritten)],
  ["has another signature", withState((state) => `${state.slice(0, -4)}AAAA`)],
  ["has no signature", withState((state) => state.replace(/[^.]*$/u, ""))],
  ["is not signed", withState((_, id) => unsigned(id))],
  ["is signed with another secret", withState((_, id) => mint({ id }, otherSecret))],
  ["is signed in another way", withState((_, id) => mint({ id }, key, "HS512"))],
  ["is a token for something else", withState((_, id) => mint({ id, audience: "workspace:auth" }))],
  ["names no sign-in", withState(() => mint({ id: "1" }))],
  ["is of another sign-in", withState(() => mint({}))],
  ["is of another provider", withState((_, id) => mint({ id, provider: "google" }))],
  ["comes to a browser that began nothing", ({ who }) => who.cookies.delete("oauth_state")],
  ["comes to a browser that began another sign-in", ({ who }) => begin("github", who)],
  ["comes with garbage in the cookie", withCookie(() => "gAAAAA")],
  ["comes with a cookie of another provider", withCookie((who) => keptBy(who, { provider: "google" }))],
  ["comes with a cookie that is no sign-in", withCookie((who) => keptBy(who, { verifier: 1 }))],
];

describe("a state", () => {
  it.each(INVALID)("is refused, and no code is spent, when it %s", async (_, spoil) => {
    const about = await goTo("github");
    await spoil(about);
    expect(await comeBack(about)).toEqual(refusedWith("INVALID_STATE_TOKEN"));
    expect(spent("github")).toBe(0);
  });

  it.each<[string, Spoil]>([
    ["in the browser that began", withState((_, id) => mint({ id, expires: past() }))],
    [
      "in a browser that has forgotten it",
      ({ who, back }) => {
        who.cookies.clear();
        return withState(() => mint({ expires: past() }))({ who, back });
      },
    ],
  ])("is refused as expired after its time, %s", async (_, spoil) => {
    const about = await goTo("github");
    await spoil(about);
    expect(await comeBack(about)).toEqual(refusedWith("STATE_TOKEN_EXPIRED"));
    expect(spent("github")).toBe(0);
  });

  it("of one provider is refused by the other", async () => {
    const about = await goTo("google");
    about.back.pathname = "/api/auth/github/callback";
    expect(await comeBack(about)).toEqual(refusedWith("INVALID_STATE_TOKEN"));
    expect([spent("github"), spent("google")]).toEqual([0, 0]);
  });

  it("is still good in its own browser after another one tried it", async () => {
    const about = await goTo("github");
    const stranger = { who: browser(service), back: about.back };
    expect(await comeBack(stranger)).toEqual(refusedWith("INVALID_STATE_TOKEN"));
    expect(await comeBack(about)).toMatchObject({ location: SIGNED_IN });
  });

  it.each(PROVIDERS)("is refused a second time, also with all that %s's browser kept", async (name) => {
    const about = await goTo(name);
    const kept = new Map(about.who.cookies);
    expect(await comeBack(about)).toMatchObject({ location: SIGNED_IN });
    for (const [cookie, value] of kept) about.who.cookies.set(cookie, value);
    expect(await comeBack(about)).toEqual(refusedWith("INVALID_STATE_TOKEN"));
    expect(spent(name)).toBe(1);
  });

  it.each(PROVIDERS)("lets in one of eight that come back from %s at once", async (name) => {
    const { who, back } = await goTo(name);
    const tabs = Array.from({ length: 8 }, () => {
      const tab = browser(service);
      tab.cookies.set("oauth_state", who.cookies.get("oauth_state") ?? "");
      return tab;
    });
    const outcomes = await Promise.all(tabs.map((tab) => comeBack({ who: tab, back })));
    expect(outcomes.filter(({ location }) => location === SIGNED_IN)).toHaveLength(1);
    const refused = outcomes.filter(({ status }) => status === 400);
    expect(refused).toEqual(Array.from({ length: 7 }, () => refusedWith("INVALID_STATE_TOKEN")));
    expect(spent(name)).toBe(1);
  });
});

describe("a provider that does not let the person in", () => {
  it.each([
    ["says so", { error: "access_denied", code: undefined }],
    ["says so, code or not", { error: "access_denied" }],
    ["says what only a page would show", { error: "<script>alert(1)</script>" }],
    ["gives no code", { code: undefined }],
    ["gives an empty code", { code: "" }],
    ["has another name", { iss: "https://elsewhere.example" }],
    ["gives a token instead", { token: "x" }],
  ])("and %s leads back to the login page, with the state used up", async (_, change) => {
    const about = await goTo("github");
    const good = new URL(about.back);
    const kept = new Map(about.who.cookies);
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined) about.back.searchParams.delete(name);
      else about.back.searchParams.set(name, value);
    }
    expect(await comeBack(about)).toEqual(FAILED);
    for (const [name, value] of kept) about.who.cookies.set(name, value);
    expect(await comeBack({ who: about.who, back: good })).toEqual(refusedWith("INVALID_STATE_TOKEN"));
    expect(spent("github")).toBe(0);
  });

  it("is not asked about either of two codes", async () => {
    const about = await goTo("github");
    about.back.searchParams.append("code", "another");
    expect(await comeBack(about)).toEqual(FAILED);
    expect(spent("github")).toBe(0);
  });
});

describe("a code", () => {
  it.each(PROVIDERS)("of another person's sign-in at %s is refused", async (name) => {
    const [victim, attacker] = [await goTo(name), await goTo(name)];
    attacker.back.searchParams.set("code", victim.back.searchParams.get("code") ?? "");
    expect(await comeBack(attacker)).toEqual(FAILED);
    expect(spent(name)).toBe(1);
  });

  it.each(PROVIDERS)("goes to %s with the verifier of the challenge that came before it", async (name) => {
    const about = await goTo(name);
    about.who.cookies.set("oauth_state", await keptBy(about.who, { verifier: "v".repeat(64) }));
    expect(await comeBack(about)).toEqual(FAILED);
    expect(spent(name)).toBe(1);
  });
});
