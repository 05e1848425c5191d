import type { api } from "@agent-workspace/client";
import { readFile } from "node:fs/promises";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { browser, type Browser } from "#test/support/browser.ts";
import { newGitHubPerson, startGitHub } from "#test/support/github-provider.ts";
import { newGooglePerson, startGoogle } from "#test/support/google-provider.ts";
import { agree, REGISTERED } from "#test/support/oauth-provider.ts";
import { startService } from "#test/support/service.ts";

const CONSOLE = "https://console.example.com";
const SIGNED_IN = `${CONSOLE}/oauth/callback`;
const BROWSER_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
/** The cookie header with which a response deletes the browser's state of a sign-in. */
const FORGOTTEN = "oauth_state=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax";
const PROVIDERS = ["github", "google"] as const;
type ProviderName = (typeof PROVIDERS)[number];

const github = await startGitHub(newGitHubPerson("nobody@example.com"));
const google = await startGoogle(newGooglePerson("nobody@example.com"));
const service = await startService({
  APP_BASE_URL: `${CONSOLE}/`,
  GITHUB_CLIENT_ID: REGISTERED.clientId,
  GITHUB_CLIENT_SECRET: REGISTERED.clientSecret,
  GITHUB_OAUTH_BASE_URL: github.url,
  GITHUB_API_BASE_URL: `${github.url}/api/v3/`,
  GOOGLE_CLIENT_ID: REGISTERED.clientId,
  GOOGLE_CLIENT_SECRET: REGISTERED.clientSecret,
  GOOGLE_OAUTH_ISSUER: google.url,
});
// The first account of an installation becomes its administrator.
await service.signUp();
afterAll(async () => {
  await service.close();
  await Promise.all([github.close(), google.close()]);
});

const begin = (provider: ProviderName, who: Browser) =>
  who.call<{ authorization_url: string }>("GET", `/api/auth/${provider}/authorize`);

/** To the provider: a browser that is about to come back, and where to. */
async function goTo(provider: ProviderName, who = browser(service)) {
  const begun = await begin(provider, who);
  return { who, back: await agree(begun.body.authorization_url) };
}

/** Back from a provider. */
async function comeBack({ who, back }: { who: Browser; back: URL }) {
  const { status, headers, text } = await who.call("GET", back.pathname + back.search);
  return { status, location: headers.get("location"), text, setCookies: headers.getSetCookie() };
}

async function signIn(provider: ProviderName) {
  const about = await goTo(provider);
  return { who: about.who, ...(await comeBack(about)) };
}

/** From now on, a new person with this verified address agrees at the provider's page. */
function meet(provider: ProviderName, email: string): void {
  if (provider === "github") github.person = newGitHubPerson(email);
  else google.person = newGooglePerson(email);
}

const newEmail = () => `${crypto.randomUUID()}@example.com`;
const refusedWith = (detail: string) => ({
  status: 400,
  location: null,
  text: JSON.stringify({ detail }),
  setCookies: [FORGOTTEN],
});
const FAILED = {
  status: 303,
  location: `${CONSOLE}/login?error=oauth_failed`,
  text: "",
  setCookies: [FORGOTTEN],
};

const me = async (who: Browser) => (await who.call<api.User>("GET", "/api/users/me")).body;

describe("signing in through a provider", () => {
  it.each([
    {
      provider: "github" as const,
      name: "Octo Cat",
      avatar: expect.stringContaining("https://avatars.example.com/u/"),
      scope: "user:email read:user",
      page: "/login/oauth/authorize",
      more: {},
    },
    {
      provider: "google" as const,
      name: "Goo Gle",
      avatar: "https://pictures.example.com/a.png",
      scope: "openid email profile",
      page: "/authorize",
      more: { nonce: expect.stringMatching(/^[\w-]{43,}$/u) },
    },
  ])("asks $provider for what it needs, and makes an account with what it says", async (each) => {
    const { provider, scope, page, more, name, avatar } = each;
    const email = newEmail();
    meet(provider, email);
    const own = browser(service);
    const { status, body, headers } = await begin(provider, own);
    const asked = new URL(body.authorization_url);
    expect([status, Object.keys(body)]).toEqual([200, ["authorization_url"]]);
    expect(asked.origin + asked.pathname).toBe((provider === "github" ? github : google).url + page);
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      response_type: "code",
      client_id: REGISTERED.clientId,
      redirect_uri: `${service.url}/api/auth/${provider}/callback`,
      scope,
      state: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/u),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/u),
      code_challenge_method: "S256",
      ...more,
    });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^oauth_state=[\w%=-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/u),
    ]);
    const came = await comeBack({ who: own, back: await agree(asked.href) });
    expect(came).toMatchObject({ status: 303, location: SIGNED_IN, text: "" });
    const account = await me(own);
    expect(account).toMatchObject({
      email,
      name,
      avatar_url: avatar,
      username: expect.stringMatching(/^[0-9a-f]+_[0-9a-z]{6}$/u),
      is_verified: true,
      is_superuser: false,
      default_team_id: expect.any(String),
    });
    expect(await me((await signIn(provider)).who)).toMatchObject({ id: account.id });
    const json = { name: "a", source_type: "empty" };
    expect((await own.change("POST", "/api/projects", { json })).status).toBeLessThan(300);
  });

  it("sends a browser on to the provider at once, and back with the cookies of a session", async () => {
    meet("github", newEmail());
    const who = browser(service);
    const headers = { accept: BROWSER_ACCEPT };
    const begun = await who.call("GET", "/auth/github/authorize", { headers });
    expect([begun.status, begun.text]).toEqual([302, ""]);
    const { search } = await agree(begun.headers.get("location") ?? "");
    const came = await who.call("GET", `/auth/github/callback${search}`, { headers });
    expect([came.status, came.headers.get("location")]).toEqual([303, SIGNED_IN]);
    expect(came.headers.get("cache-control")).toBe("no-store");
    expect(came.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^refresh_token=[\w-]{64}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/u),
      expect.stringMatching(
        /^session=[\w-]+\.[\w-]+\.[\w-]+; Max-Age=1800; Path=\/; HttpOnly; SameSite=Lax$/u,
      ),
      FORGOTTEN,
    ]);
    expect(await me(who)).toMatchObject({ id: expect.any(String) });
  });

  it("is refused for a state of another browser, and leads back to the login page where the provider fails", async () => {
    meet("github", newEmail());
    const about = await goTo("github");
    expect(await comeBack({ who: browser(service), back: about.back })).toEqual(
      refusedWith("INVALID_STATE_TOKEN"),
    );
    about.back.searchParams.set("code", "unknown");
    expect(await comeBack(about)).toEqual(FAILED);
    const declined = await goTo("github");
    declined.back.search = new URLSearchParams({
      error: "access_denied",
      state: declined.back.searchParams.get("state") ?? "",
    }).toString();
    expect(await comeBack(declined)).toEqual(FAILED);
  });
});

it("nothing secret of a sign-in comes into the log", async () => {
  const secrets = createSecrets(service.stack.variables["SECRET_KEY"] ?? "");
  const about = await goTo("github");
  const state = about.back.searchParams.get("state") ?? "";
  const cookie = about.who.cookies.get("oauth_state") ?? "";
  const kept: { verifier: string; nonce: string } = JSON.parse(
    await secrets.decrypt(decodeURIComponent(cookie)),
  );
  expect(kept).toMatchObject({ verifier: expect.any(String), nonce: expect.any(String) });
  await comeBack(about);
  const ending = await service.call("GET", "/health");
  const log = await vi.waitFor(async () => {
    const text = await readFile(service.stack.logFile, "utf8");
    expect(text).toContain(ending.headers.get("x-request-id"));
    return text;
  });
  expect(log).toContain("OAuth login failed");
  expect(log).toContain("(bad_verification_code)");
  const own = [state, cookie, ...about.who.cookies.values(), REGISTERED.clientSecret];
  const all = [...github.secrets, ...google.secrets, ...own, kept.verifier, kept.nonce];
  expect(all.length).toBeGreaterThan(20);
  expect(all.filter((secret) => secret !== "" && log.includes(secret))).toEqual([]);
});
