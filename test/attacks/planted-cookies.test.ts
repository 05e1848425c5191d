import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browser, signedIn, type Browser } from "#test/support/browser.ts";
import { startGitHost } from "#test/support/git-host-server.ts";
import { agree, REGISTERED } from "#test/support/oauth-provider.ts";
import { previewVisitor } from "#test/support/preview-visitor.ts";
import { startService } from "#test/support/service.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newRunningSite } from "#test/support/site.ts";
import { openSocket } from "#test/support/socket.ts";
import { addressOf } from "#test/surface/estate.ts";
import { operationsOf, readDocument } from "#test/surface/operations.ts";
import { ANY_SAMPLE } from "./support/any-sample.ts";

/** Cookies as a page on another host of the domain can plant them in its visitor's browser. */

const gitlab = await startGitHost("gitlab");
const secure = await startService({
  COOKIE_SECURE: "true",
  COOKIE_SAMESITE: "strict",
  GITLAB_CLIENT_ID: REGISTERED.clientId,
  GITLAB_CLIENT_SECRET: REGISTERED.clientSecret,
  GITLAB_API_BASE_URL: `${gitlab.url}/`,
});
afterAll(() => Promise.all([secure.close(), gitlab.close()]));
const plain = sharedService();

const operations = operationsOf(await readDocument(secure));
const forPeople = operations.filter(({ person }) => person);

/** Both orders, and the forms that parsers take for one cookie. */
const both = (name: string, one: string, other: string) => [
  `${name}=${one}; ${name}=${other}`,
  `${name}=${other};${name}=${one}`,
  `a=b; ${name}=${one};\t${name} =${other}; c=d`,
  `${name}=${one}; ${name}=${one}`,
  `${name}=${one}; ${name}=`,
  `${name}="${other}"; ${name}=${one}`,
];

const cookieOf = ({ cookies }: Browser, name: string) => cookies.get(name) ?? "";

const isConnected = async ({ who }: { who: Browser }) => {
  const { body } = await who.call<{ connected: boolean }>("GET", "/api/git-providers/gitlab/status");
  return body.connected;
};

it("a session over https is kept under names that no other host can plant", async () => {
  const { who } = await signedIn(secure);
  expect([...who.cookies.keys()]).toEqual(["__Host-refresh_token", "__Host-session"]);
  const { securitySchemes } = (await readDocument(secure)).components;
  expect(securitySchemes["sessionCookie"]).toMatchObject({ name: "__Host-session" });
  const { headers } = await who.call("POST", "/api/auth/refresh");
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^__Host-refresh_token=[\w-]{64}; Max-Age=1209600; Path=\/; HttpOnly; Secure; SameSite=Strict$/u,
    ),
    expect.stringMatching(
      /^__Host-session=[\w.-]+; Max-Age=1800; Path=\/; HttpOnly; Secure; SameSite=Strict$/u,
    ),
  ]);
  const change = await who.change("PATCH", "/api/users/me", { json: { name: "Ada" } });
  expect([change.status, who.cookies.has("csrf_token")]).toEqual([200, true]);
  await who.call("POST", "/api/auth/logout");
  expect([...who.cookies.keys()]).toEqual(["csrf_token"]);
});

describe("a planted session", () => {
  let planted: { cookie: string; "x-csrf-token": string };
  let session: string;
  beforeAll(async () => {
    const { who, token: accessToken } = await signedIn(secure);
    session = accessToken;
    const { body } = await who.call<{ csrf_token: string }>("GET", "/api/auth/csrf");
    const token = body.csrf_token;
    planted = { cookie: `session=${session}; csrf_token=${token}`, "x-csrf-token": token };
  });

  it("does not sign in, at any operation for people", async () => {
    expect(forPeople.length).toBeGreaterThan(200);
    for (const operation of forPeople) {
      const address = addressOf(operation, ANY_SAMPLE);
      const { status } = await secure.call(operation.method, address, { headers: planted });
      expect([operation.name, status]).toEqual([operation.name, 401]);
    }
  });

  it("opens no socket", async () => {
    const headers = { ...planted, origin: secure.url };
    const socket = await openSocket(secure.url, `/ws/${crypto.randomUUID()}`, { headers });
    expect(await socket.closed).toEqual({ code: 4401, reason: "auth_failed" });
    const tasks = await openSocket(secure.url, "/api/tasks/ws", { headers });
    tasks.send({ type: "ping" });
    expect(await tasks.closed).toMatchObject({ code: 1008 });
  });

  it("renews nothing", async () => {
    const { who } = await signedIn(secure);
    const refreshToken = who.cookies.get("__Host-refresh_token") ?? "";
    const answer = await secure.call("POST", "/api/auth/refresh", {
      headers: { cookie: `refresh_token=${refreshToken}` },
    });
    expect(answer).toMatchObject({ status: 401, body: { detail: "No refresh token" } });
    expect((await who.call("POST", "/api/auth/refresh")).status).toBe(200);
  });

  const statusOf = async (name: string) => {
    // Browsers send a name in UTF-8; a header holds bytes.
    const cookie = `${Buffer.from(name).toString("latin1")}=${session}`;
    return [name, (await secure.call("GET", "/api/users/me", { headers: { cookie } })).status];
  };

  it("is not taken for the right one under a name that parsers may take for it", async () => {
    const names = ["__host-session", "__Secure-session", "\u00a0__Host-session", "\ufeff__Host-session"];
    names.push("__Host-session\u2000", '"__Host-session"', "$__Host-session", "x,__Host-session");
    for (const name of names) expect(await statusOf(name)).toEqual([name, 401]);
    expect(await statusOf("__Host-session")).toEqual(["__Host-session", 200]);
  });
});

describe.each([
  { over: "http", service: plain, prefix: "" },
  { over: "https", service: secure, prefix: "__Host-" },
])("of two cookies with one name over $over none is accepted", ({ service, prefix }) => {
  it.each([
    ["by an operation that reads the session", "session", "GET", "/api/users/me"],
    ["by the operation that renews it", "refresh_token", "POST", "/api/auth/refresh"],
  ])("%s", async (_, kind, method, path) => {
    const [victim, attacker] = [await signedIn(service), await signedIn(service)];
    const name = `${prefix}${kind}`;
    for (const cookie of both(name, cookieOf(victim.who, name), cookieOf(attacker.who, name))) {
      const { status } = await service.call(method, path, { headers: { cookie } });
      expect([cookie, status]).toEqual([cookie, 401]);
    }
    expect((await victim.who.call(method, path)).status).toBe(200);
  });

  it("as a CSRF token", async () => {
    const [victim, attacker] = [await signedIn(service), await signedIn(service)];
    for (const { who } of [victim, attacker]) await who.call("GET", "/api/auth/csrf");
    const session = `${prefix}session=${cookieOf(victim.who, `${prefix}session`)}`;
    const [own, foreign] = [cookieOf(victim.who, "csrf_token"), cookieOf(attacker.who, "csrf_token")];
    for (const pair of both("csrf_token", own, foreign)) {
      for (const token of [own, foreign]) {
        const headers = { cookie: `${session}; ${pair}`, "x-csrf-token": token };
        const answer = await service.call("PATCH", "/api/users/me", { json: { name: "x" }, headers });
        expect(answer).toMatchObject({ status: 403, body: { detail: expect.stringMatching(/^CSRF/u) } });
      }
    }
  });
});

describe("an account at a git host", () => {
  interface Begun {
    authorization_url: string;
  }
  const STATE = "__Host-git_oauth_state";

  /** A person who agreed at the host's page and is about to come back. */
  async function goTo() {
    const { account, who } = await signedIn(secure);
    const path = "/api/git-providers/gitlab/oauth/authorize";
    const begun = await who.call<Begun>("GET", path);
    const back = await agree(begun.body.authorization_url);
    return { account, who, back: back.pathname + back.search };
  }

  const refused = { status: 400, body: { detail: "INVALID_STATE_TOKEN" } };

  it("is not connected by a planted cookie, in another session, in none or in a planted one, which stays good for its own session", async () => {
    const attacker = await goTo();
    const victim = await signedIn(secure);
    victim.who.cookies.set(STATE, attacker.who.cookies.get(STATE) ?? "");
    expect(await victim.who.call("GET", attacker.back)).toMatchObject(refused);
    const visitor = browser(secure);
    for (const name of [STATE, "__Host-session"]) {
      const planted = name === STATE ? name : "session";
      visitor.cookies.set(planted, attacker.who.cookies.get(name) ?? "");
      expect(await visitor.call("GET", attacker.back)).toMatchObject(refused);
    }
    expect([await isConnected(victim), await isConnected(attacker)]).toEqual([false, false]);
    expect((await attacker.who.call("GET", attacker.back)).status).toBe(200);
    expect(await isConnected(attacker)).toBe(true);
  });

  it("is not connected by a cookie under the plain name, nor by one of two", async () => {
    const { who, back } = await goTo();
    const state = who.cookies.get(STATE) ?? "";
    const session = `__Host-session=${who.cookies.get("__Host-session")}`;
    for (const cookies of [`git_oauth_state=${state}`, `${STATE}=${state}; ${STATE}=other`]) {
      const headers = { cookie: `${session}; ${cookies}` };
      expect(await secure.call("GET", back, { headers })).toMatchObject(refused);
    }
    expect((await who.call("GET", back)).status).toBe(200);
  });

  it("is connected by a page of our own where strict cookies do not come from the host's", async () => {
    const { who, back } = await goTo();
    const headers = { accept: "text/html", "sec-fetch-site": "cross-site" };
    const without = browser(secure);
    without.cookies.set(STATE, who.cookies.get(STATE) ?? "");
    const { status, headers: answered } = await without.call("GET", back, { headers });
    expect([status, answered.getSetCookie()]).toEqual([200, []]);
    const again = new URL(/^0; url=(.*)$/u.exec(answered.get("refresh") ?? "")?.[1] ?? "");
    expect(again.origin).toBe(secure.url);
    const returned = await who.call("GET", again.pathname + again.search, {
      headers: { accept: "text/html", "sec-fetch-site": "same-origin" },
    });
    expect([returned.status, returned.text]).toEqual([200, expect.stringContaining("GitLab is connected")]);
  });
});

it("a visit of a private preview is kept under a name that no other preview can plant", async () => {
  const { who, token } = await signedIn(secure);
  const site = await newRunningSite(secure, token, { "index.html": "mine" });
  const visitor = previewVisitor(secure.url);
  visitor.cookies("127.0.0.1").set("__Host-session", who.cookies.get("__Host-session") ?? "");
  expect(await visitor.follow(site.url)).toMatchObject({ status: 200, text: "mine" });
  const kept = visitor.cookies(site.host);
  expect([...kept.keys()]).toEqual(["__Host-preview_session"]);

  const stranger = previewVisitor(secure.url);
  stranger.cookies(site.host).set("preview_session", kept.get("__Host-preview_session") ?? "");
  stranger.cookies("127.0.0.1").set("session", who.cookies.get("__Host-session") ?? "");
  expect(new URL((await stranger.follow(site.url)).url).pathname).toBe("/login");
});
