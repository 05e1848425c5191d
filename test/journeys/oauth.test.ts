import { afterAll, describe, expect, it } from "vitest";
import { browser, type Browser } from "#test/support/browser.ts";
import { newGitHubPerson } from "#test/support/github-provider.ts";
import { newGooglePerson } from "#test/support/google-provider.ts";
import { agree, REGISTERED } from "#test/support/oauth-provider.ts";
import {
  comeBack,
  FORGOTTEN,
  PROVIDERS,
  refusedWith,
  SIGNED_IN,
  startOAuthService,
} from "#test/support/oauth-service.ts";

const PASSWORD = "correct horse";
const BROWSER_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

const oauth = await startOAuthService();
afterAll(() => oauth.close());
const { service, github, google, begin, goTo, signIn, meet } = oauth;

/** The first to come. */
const admin = github.person;

let last = 0;
const newEmail = () => `oauth${(last += 1)}@example.com`;

interface Me {
  id: string;
  email: string;
  name: string;
  is_verified: boolean;
}

const me = async (who: Browser) => (await who.call<Me>("GET", "/api/users/me")).body;

describe("signing in through a provider", () => {
  it("makes the first account of an installation its administrator", async () => {
    const { who } = await signIn("github");
    expect(await me(who)).toMatchObject({ email: "nobody@example.com", is_superuser: true });
  });

  it.each([
    {
      provider: "github" as const,
      name: "Octo Cat",
      avatar: expect.stringContaining("https://avatars.example.com/u/"),
    },
    { provider: "google" as const, name: "Goo Gle", avatar: "https://pictures.example.com/a.png" },
  ])("makes an account with what $provider says", async ({ provider, name, avatar }) => {
    const email = newEmail();
    meet(provider, email);
    const { who, status, location, text } = await signIn(provider);
    expect([status, location, text]).toEqual([303, SIGNED_IN, ""]);
    const account = await me(who);
    expect(account).toMatchObject({
      email,
      name,
      avatar_url: avatar,
      username: expect.stringMatching(/^oauth\d+_[0-9a-z]{6}$/u),
      is_verified: true,
      is_superuser: false,
      default_team_id: expect.any(String),
    });
    const again = await signIn(provider);
    expect(await me(again.who)).toMatchObject({ id: account.id });
    const made = await again.who.change("POST", "/api/projects", {
      json: { name: "a", source_type: "empty" },
    });
    expect(made.status).toBeLessThan(300);
  });

  it.each([
    { provider: "github" as const, scope: "user:email read:user", page: "/login/oauth/authorize", more: {} },
    {
      provider: "google" as const,
      scope: "openid email profile",
      page: "/authorize",
      more: { nonce: expect.stringMatching(/^[\w-]{43,}$/u) },
    },
  ])("asks $provider for what it needs, with a state, PKCE and its own address", async (each) => {
    const { provider, scope, page, more } = each;
    const { status, body, headers } = await begin(provider, browser(service));
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
  });

  it("sends a browser on at once, and back with the cookies of a session", async () => {
    for (const provider of PROVIDERS) {
      const who = browser(service);
      const begun = await who.call("GET", `/auth/${provider}/authorize`, {
        headers: { accept: BROWSER_ACCEPT },
      });
      expect([begun.status, begun.text]).toEqual([302, ""]);
      const back = await agree(begun.headers.get("location") ?? "");
      const { status, headers } = await who.call("GET", `/auth/${provider}/callback${back.search}`, {
        headers: { accept: BROWSER_ACCEPT },
      });
      expect([status, headers.get("location")]).toEqual([303, SIGNED_IN]);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.getSetCookie()).toEqual([
        expect.stringMatching(/^refresh_token=[\w-]{64}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/u),
        expect.stringMatching(
          /^session=[\w-]+\.[\w-]+\.[\w-]+; Max-Age=1800; Path=\/; HttpOnly; SameSite=Lax$/u,
        ),
        FORGOTTEN,
      ]);
      expect(await me(who)).toMatchObject({ id: expect.any(String) });
    }
  });

  it("makes one account of a person who comes back twice at once", async () => {
    const email = newEmail();
    meet("google", email);
    const arrivals = await Promise.all(Array.from({ length: 6 }, () => signIn("google")));
    expect(arrivals.map(({ location }) => location)).toEqual(Array(6).fill(SIGNED_IN));
    const ids = await Promise.all(arrivals.map(async ({ who }) => (await me(who)).id));
    expect(new Set(ids).size).toBe(1);
  });

  it("is in the audit logs of the teams that it concerns", async () => {
    const email = newEmail();
    meet("github", email);
    meet("google", email);
    const { who } = await signIn("github");
    await signIn("google");
    const { default_team_id: team } = Object(await me(who));
    const { body: teams } = await who.call<{ id: string; slug: string }[]>("GET", "/api/teams");
    const slug = teams.find(({ id }) => id === team)?.slug;
    const { body } = await who.call<{ items: { action: string }[] }>("GET", `/api/teams/${slug}/audit-log`);
    expect(JSON.stringify(body)).toContain('"oauth.account_created"');
    expect(JSON.stringify(body)).toContain('"oauth.linked"');
  });
});

/** A person who registered, and proved the address by signing in through GitHub. */
async function verified() {
  const account = await service.signUp("linked");
  meet("github", account.email);
  await signIn("github");
  return account;
}

/** Whether an account still has its password, and whether the other address has no account. */
async function statesOf(email: string, other: string) {
  const login = await service.call("POST", "/api/auth/login", { json: { email, password: PASSWORD } });
  const registration = { json: { email: other, password: PASSWORD } };
  const free = email === other || (await service.call("POST", "/api/auth/register", registration)).status;
  return [login.status, free === true || free === 201];
}
const UNTOUCHED = [200, true];

describe("an account with the same address", () => {
  it.each(PROVIDERS)("is linked when %s says that the address is verified", async (provider) => {
    const account = await verified();
    meet(provider, account.email.toUpperCase());
    const { who, location } = await signIn(provider);
    expect(location).toBe(SIGNED_IN);
    expect(await me(who)).toMatchObject({ id: account.id, email: account.email });
  });

  it("keeps its password and its sessions when it had proved the address itself", async () => {
    const { id, email } = await verified();
    meet("google", email);
    const { who } = await signIn("google");
    const patched = await who.change("PATCH", "/api/users/me", { json: { password: "a new horse" } });
    expect(patched.status).toBe(200);
    const other = browser(service);
    await other.call("POST", "/api/auth/login", { json: { email, password: "a new horse" } });
    meet("google", email);
    await signIn("google");
    expect(await me(other)).toMatchObject({ id });
  });

  it.each([
    ["GitHub does not say that it is verified", { verified: false, primary: true }],
    ["it is not the primary one of GitHub", { verified: true, primary: false }],
  ])("stays alone, and none is made, when %s", async (_, flags) => {
    const account = await service.signUp("unlinked");
    for (const email of [account.email, newEmail()]) {
      github.person = newGitHubPerson(email, { emails: [{ email, ...flags }] });
      expect(await comeBack(await goTo("github"))).toEqual(refusedWith("OAUTH_NOT_AVAILABLE_EMAIL"));
      expect(await statesOf(account.email, email)).toEqual(UNTOUCHED);
    }
  });

  it.each([
    ["says that it is not", { email_verified: false }],
    ["says so in a word", { email_verified: "true" }],
    ["says nothing of it", { email_verified: undefined }],
    ["names no address", { email: undefined }],
    ["names what is no address", { email: "somebody" }],
  ])("stays alone, and none is made, when Google %s", async (_, change) => {
    const account = await service.signUp("unlinked");
    for (const email of [account.email, newEmail()]) {
      google.person = Object.assign(newGooglePerson(email), change);
      expect(await comeBack(await goTo("google"))).toEqual(refusedWith("OAUTH_NOT_AVAILABLE_EMAIL"));
      expect(await statesOf(account.email, email)).toEqual(UNTOUCHED);
    }
  });

  it("is taken from the person who registered it, where the address was never proved", async () => {
    const email = newEmail();
    const squatter = browser(service);
    const registration = {
      email,
      username: `squat-${crypto.randomUUID().slice(0, 8)}`,
      password: PASSWORD,
    };
    const { body } = await squatter.call<{ id: string; access_token: string }>("POST", "/api/auth/register", {
      json: registration,
    });
    const { key } = await service.newKey(body.access_token);
    meet("google", email);
    const { who } = await signIn("google");
    expect(await me(who)).toMatchObject({ id: body.id, email, is_verified: true });

    const refusals = [
      await squatter.call("GET", "/api/users/me"),
      await squatter.call("POST", "/api/auth/refresh", { json: {} }),
      await service.call("GET", "/api/users/me", { token: body.access_token }),
      await service.call("GET", "/api/projects", { token: key }),
      await service.call("POST", "/api/auth/login", { json: registration }),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([401, 401, 401, 401, 400]);
    expect(await me(who)).toMatchObject({ id: body.id });
  });

  it("is no longer reached through a provider that the person who registered it had linked", async () => {
    const [own, email] = [newEmail(), newEmail()];
    meet("github", own);
    const squatter = await signIn("github");
    const moved = await squatter.who.change("PATCH", "/api/users/me", { json: { email } });
    expect(moved.body).toMatchObject({ email, is_verified: false });
    meet("google", email);
    const owner = await signIn("google");
    const { id } = await me(owner.who);
    expect(moved.body).toMatchObject({ id });
    const back = await signIn("github");
    expect((await me(back.who)).id).not.toBe(id);
  });

  it("is refused when it is not active", async () => {
    const email = newEmail();
    meet("github", email);
    const { who } = await signIn("github");
    const { id } = await me(who);
    github.person = admin;
    const { who: by } = await signIn("github");
    const disabled = await by.change("PATCH", `/api/users/${id}`, { json: { is_active: false } });
    expect(disabled.status).toBe(200);
    for (const provider of PROVIDERS) {
      meet(provider, email);
      expect(await comeBack(await goTo(provider))).toEqual(refusedWith("LOGIN_BAD_CREDENTIALS"));
    }
  });
});
