import type { api } from "@agent-workspace/client";
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { newChannelRow, pairingCode } from "#test/support/channels.ts";
import { CHROMIUM, startChromium, type Tab } from "#test/support/chromium.ts";
import { caughtInbox } from "#test/support/inbox.ts";
import { otherSharedService, type SharedService } from "#test/support/shared-service.ts";

let service: SharedService;
beforeAll(async () => {
  service = await otherSharedService("codes");
});

const PAGES = [
  "/login",
  "/register",
  "/forgot-password",
  "/reset-password",
  "/verify-email",
  "/invite/some-token",
  "/oauth/callback",
  "/oauth/authorize",
  "/desktop/pair",
  "/device",
  "/pair",
  "/account/sessions",
  "/settings/team/billing",
  "/billing",
  "/marketplace/success",
  "/marketplace/agent/some-agent",
  "/marketplace/base/some-template",
];

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Whether each address that pages and scripts name is there. */
const there = new Map<string, Promise<boolean>>();
function isThere(address: string): Promise<boolean> {
  const known = there.get(address) ?? service.call("GET", address).then(({ status }) => status === 200);
  there.set(address, known);
  return known;
}

it.each(PAGES)("the page %s is public, lets nothing in, and names only what is there", async (path) => {
  const { status, headers, text } = await service.call("GET", `${path}?token=secret`);
  expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(headers.get("content-security-policy")).toBe(POLICY);
  expect(headers.get("referrer-policy")).toBe("no-referrer");
  expect(headers.get("x-frame-options")).toBe("DENY");
  expect((await service.call("POST", path)).status).toBe(405);
  // No script or style of its own.
  expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/iu);
  const scripts = Array.from(text.matchAll(/<script([^>]*)>(.*?)<\/script>/gsu));
  expect(scripts.map(([, , content]) => content)).toEqual([""]);
  const named = Array.from(text.matchAll(/\s(?:src|href)="(\/[^"]*)"/gu), ([, address = ""]) => address);
  expect(named.length).toBeGreaterThan(1);
  expect(await Promise.all(named.map(isThere))).toEqual(named.map(() => true));
  // Each field says what it is, and no form is sent by its address.
  for (const [, id] of text.matchAll(/<input[^>]*\sid="([^"]+)"/gu))
    expect(text).toContain(`<label for="${id}">`);
  for (const [form] of text.matchAll(/<form[^>]*>/gu)) expect(form).toContain('method="post"');
  expect(text).toMatch(/<html lang="en">/u);
  expect(text.match(/<noscript>/gu)).toHaveLength(1);
});

it("the scripts of the pages make no markup out of data, and are all that is served beside them", async () => {
  const pages = await Promise.all(PAGES.map((path) => service.call("GET", path)));
  const named = pages.flatMap(({ text }) => Array.from(text.matchAll(/"(\/app\/assets\/[^"]+\.js)"/gu)));
  const scripts = new Set(named.map(([, script = ""]) => script));
  expect(scripts.size).toBeGreaterThan(readdirSync("console/account").length);
  for (const script of scripts) {
    const code = readFileSync(`public${script}`, "utf8");
    expect(code).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/u);
    const { status, headers } = await service.call("GET", script);
    expect([status, headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    // The build packs them once; a client that unpacks nothing gets them as they are.
    expect(headers.get("content-encoding")).toBe("gzip");
    const plain = await fetch(`${service.url}${script}`, {
      headers: { "accept-encoding": "identity" },
    });
    expect([plain.headers.get("content-encoding"), await plain.text()]).toEqual([null, code]);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
  const none = await service.call("GET", "/app/assets/none.js");
  expect([none.status, none.body]).toEqual([404, { detail: "Not Found" }]);
});

it("the first page is the console for whoever may be signed in, and the sign-in page for everyone else", async () => {
  // Of two kinds: an access token that is over is renewed in the console.
  const cookies = ["", "csrf_token=a; theme=dark", "session=over", "refresh_token=of-a-session"];
  const answers = await Promise.all(
    cookies.map((cookie) => service.call("GET", "/", { headers: { cookie } })),
  );
  const places = answers.map(({ headers }) => headers.get("location"));
  expect(places).toEqual(["/login?switch", "/login?switch", "/app", "/app"]);
});

const at = (path: string) => `location.pathname === ${JSON.stringify(path)}`;
const visible = (selector: string) =>
  `(document.querySelector(${JSON.stringify(selector)})?.checkVisibility() ?? false)`;
const says = (text: string) => `document.querySelector("#message").textContent === ${JSON.stringify(text)}`;
const sessionsShown = (count: number) => `document.querySelectorAll("#sessions li").length === ${count}`;
const textOf = (tab: Tab, selector: string) =>
  tab.read(`document.querySelector(${JSON.stringify(selector)}).textContent`);

const told = async (tab: Tab) => {
  await tab.until(visible("#message"));
  return textOf(tab, "#message");
};

/** From the login page on, with the code that is mailed. */
async function logIn(tab: Tab, { email, password }: Account) {
  const codes = caughtInbox(service, email, /code/iu);
  await tab.type("#username", email);
  await tab.type("#password", password);
  await tab.click("#password-form button");
  await tab.until(visible("#code"));
  await tab.type("#code", await codes.code());
  await tab.click("#code-form button");
}

async function newProgram(client_name: string): Promise<api.DeviceSignIn> {
  const json = { client_name };
  return (await service.call<api.DeviceSignIn>("POST", "/api/auth/device/code", { json })).body;
}

const pollFor = ({ device_code }: api.DeviceSignIn) =>
  service.call<{ access_token: string }>("POST", "/api/auth/device/token", { json: { device_code } });
const statusWith = async (token: string, path = "/api/users/me") =>
  (await service.call("GET", path, { token })).status;

/** A name that would run a script where a page took it for markup. */
const MARKUP = "<img src=x onerror=alert(1)>";

if (CHROMIUM === undefined) {
  process.stderr.write("No Chromium in the PATH: the account pages are not tried in a browser.\n");
}

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  let chromium: Awaited<ReturnType<typeof startChromium>>;
  beforeAll(async () => {
    chromium = await startChromium();
  });
  afterAll(async () => {
    await chromium.close();
  });

  it("a person signs in with a code, and pairs and unpairs desktop apps, today's and older ones", async () => {
    const tab = await chromium.newTab();
    await tab.go(`${service.url}/login?error=oauth_failed`);
    expect(await told(tab)).toMatch(/^Signing in failed/u);
    expect(await tab.read("location.search")).toBe("");
    // Only providers with credentials are offered.
    await tab.until(visible("#github"));
    expect(await tab.read("document.querySelector('#google').hidden")).toBe(true);
    const person = await service.signUp();
    await tab.go(`${service.url}/desktop/pair`);
    await tab.until(at("/login"));
    await tab.type("#username", person.email);
    await tab.type("#password", "wrong");
    await tab.click("#password-form button");
    await tab.until(says("The username or the password is wrong."));
    await tab.type("#password", person.password);
    await tab.click("#password-form button");
    await tab.until(visible("#code"));
    await tab.type("#code", "------");
    await tab.click("#code-form button");
    await tab.until(says("Invalid or expired code"));
    await tab.type("#code", await caughtInbox(service, person.email, /code/iu).code());
    await tab.click("#code-form button");
    await tab.until(`${at("/desktop/pair")} && ${visible("#mint")}`);

    const another = await tab.another();
    await another.go(`${service.url}/desktop/pair`);
    await another.click("summary");
    await another.type("#device", "Old laptop");
    await another.click("#old-form button");
    await another.until(visible("#open"));
    const old = new URL(String(await another.read("document.querySelector('#open').href")));
    expect(old.href).toMatch(/^workspace:\/\/auth\/callback\?token=tsk_[0-9a-f]{32}$/u);
    const ping = "/api/desktop/session/ping";
    expect(await statusWith(old.searchParams.get("token") ?? "", ping)).toBe(200);

    await tab.click("#mint");
    await tab.until(visible("#open"));
    const link = new URL(String(await tab.read("document.querySelector('#open').href")));
    expect(link.href).toMatch(/^workspace:\/\/pair\?token=/u);
    const paired = await service.call<{ token: string }>("POST", "/api/desktop/pair/exchange", {
      json: { token: link.searchParams.get("token"), device_name: MARKUP },
    });
    expect(await statusWith(paired.body.token, ping)).toBe(200);

    // In the other tabs Chromium asks whether to open the desktop app, and takes no other input until it is told.
    const last = await tab.another();
    await last.go(`${service.url}/account/sessions`);
    await last.until(`document.querySelectorAll("#devices li").length === 2`);
    const device = `Array.from(document.querySelectorAll("#devices li")).find((li) => li.textContent.includes("onerror"))`;
    expect(await last.read(`${device}.querySelector("p").textContent`)).toBe(MARKUP);
    await last.read(`${device}.querySelector("button").click()`);
    await last.until(`document.querySelectorAll("#devices li").length === 1`);
    expect(await statusWith(paired.body.token, ping)).toBe(401);
    expect([...tab.complaints, ...another.complaints, ...last.complaints]).toEqual([]);
  });

  it("a messaging account is linked by a code that is typed, after a look at whose it is, and unlinked", async () => {
    const person = await service.signUp();
    const owner = await service.signUp();
    const channel = await newChannelRow(service, owner.id);
    const code = await pairingCode(service, channel, "<b>Ada</b>");
    const tab = await chromium.newTab();
    await tab.go(`${service.url}/pair?platform=telegram#code=${code}`);
    await tab.until(at("/login"));
    await logIn(tab, person);
    await tab.until(`${at("/pair")} && ${visible("#ask-step")}`);
    expect(await tab.read("location.href")).toBe(`${service.url}/pair`);
    // Who sends an address with a code must not be linked by it.
    expect(await tab.read("document.querySelector('#code').value")).toBe("");
    await tab.type("#code", code);
    await tab.click("#form button");
    await tab.until(visible("#review-step"));
    expect(await textOf(tab, "#sender")).toBe("Telegram: <b>Ada</b>");
    expect(await textOf(tab, "#bot")).toContain(`This bot belongs to ${owner.username}`);
    expect(await textOf(tab, "#who")).toBe(person.email);
    expect(await tab.read("document.querySelectorAll('#identities li').length")).toBe(0);
    await tab.click("#link");
    await tab.until(visible("#identities li"));
    expect(await textOf(tab, "#identities li p")).toBe("Telegram: <b>Ada</b>");
    expect(await told(tab)).toMatch(/^Your Telegram account is linked/u);
    await tab.type("#code", code);
    await tab.click("#form button");
    await tab.until(says("Invalid or expired pairing code"));
    await tab.click("#identities button");
    await tab.until(visible("#none"));
    expect(tab.complaints).toEqual([]);
  });

  it("a program is signed in by the code of its address, another denied by a typed code, and sessions are ended", async () => {
    const person = await service.signUp();
    const begun = await newProgram(MARKUP);
    const tab = await chromium.newTab();
    await tab.go(begun.verification_uri_complete);
    await tab.until(at("/login"));
    await logIn(tab, person);
    await tab.until(`${at("/device")} && ${visible("#decide-step")}`);
    expect(await tab.read("location.href")).toBe(`${service.url}/device`);
    expect(await textOf(tab, "#client-name")).toBe(MARKUP);
    expect(await textOf(tab, "#shown-code")).toBe(begun.user_code);
    expect(await textOf(tab, "#address")).toMatch(/^(127\.0\.0\.1|::1)$/u);
    expect(await textOf(tab, "#who")).toBe(person.email);
    await tab.click("#approve");
    expect(await told(tab)).toMatch(/^Approved/u);
    const { status, body } = await pollFor(begun);
    expect(status).toBe(200);

    const denied = await newProgram("cli");
    await tab.go(`${service.url}/device`);
    await tab.until(visible("#code-step"));
    await tab.type("#code", "BBBB-BBBB");
    await tab.click("#code-form button");
    expect(await told(tab)).toMatch(/^Unknown code/u);
    await tab.type("#code", denied.user_code.toLowerCase().replace("-", " "));
    await tab.click("#code-form button");
    await tab.until(visible("#decide-step"));
    expect(await textOf(tab, "#shown-code")).toBe(denied.user_code);
    await tab.click("#deny");
    expect(await told(tab)).toMatch(/^Denied/u);
    expect(await pollFor(denied)).toMatchObject({ status: 400, body: { error: "access_denied" } });

    // The session goes on when its access token is over; the program's and the registration's are ended.
    await tab.go(`${service.url}/account/sessions`);
    await tab.until(sessionsShown(3));
    const names = `Array.from(document.querySelectorAll("#sessions .what p:first-child"), (p) => p.textContent)`;
    expect(await tab.read(names)).toContain(MARKUP);
    await tab.forgetCookie("session");
    await tab.click("#end-others");
    await tab.until(sessionsShown(1));
    expect(await textOf(tab, "#sessions .tag")).toBe("This browser");
    expect([await statusWith(body.access_token), await statusWith(person.token)]).toEqual([401, 401]);
    await tab.click("#sign-out");
    await tab.until(at("/login"));
    await tab.go(`${service.url}/account/sessions`);
    await tab.until(at("/login"));
    expect(tab.complaints).toEqual([]);
  });

  it("a forgotten password is set anew by the mailed link, which leaves the address bar; signing in leads to no other origin", async () => {
    const person = await service.signUp();
    const tab = await chromium.newTab();
    await tab.go(`${service.url}/forgot-password`);
    await tab.type("#email", person.email);
    await tab.click("#form button");
    await tab.until(visible("#sent-step"));
    const { url } = await caughtInbox(service, person.email, /reset/iu).link();
    await tab.go(url);
    expect(await tab.read("location.href")).toBe(`${service.url}/reset-password`);
    const ask = async (password: string, again: string) => {
      await tab.type("#password", password);
      await tab.type("#again", again);
      await tab.click("#form button");
    };
    await ask("another horse", "another house");
    expect(await told(tab)).toBe("The two passwords are not the same.");
    await ask("another horse", "another horse");
    await tab.until(visible("#done-step"));
    await tab.go(url);
    await ask("a third horse", "a third horse");
    expect(await told(tab)).toBe("This link has been used, or has expired. Ask for a new one.");
    await tab.go(`${service.url}/login`);
    await logIn(tab, { ...person, password: "another horse" });
    await tab.until(at("/app"));

    const enter = (next: string) =>
      tab.go(`${service.url}/login?${new URLSearchParams({ next }).toString()}`);
    await enter("/\\evil.example/");
    await tab.until(at("/app"));
    expect(await tab.read("location.origin")).toBe(service.url);
    // Of this origin, with a path that would be an address of another origin by itself.
    await enter(`/.//${new URL(service.url).host}//evil.example/`);
    await tab.until(`location.pathname.includes("evil.example")`);
    expect(await tab.read("location.origin")).toBe(service.url);
    // What comes back from a provider goes on, or says that it failed.
    await tab.go(`${service.url}/oauth/callback`);
    await tab.until(at("/app"));
    await tab.go(`${service.url}/oauth/callback?error=access_denied`);
    await tab.until(visible("#failed-step"));
    expect(await tab.read("location.search")).toBe("");
  });

  it("a person makes an account for a team's invitation, and confirms the address by a click, not by opening the link", async () => {
    const owner = await service.signUp();
    const { body: team } = await service.call<{ id: string; slug: string }>("POST", "/api/teams", {
      token: owner.token,
      json: { name: "<b>Sharks</b>" },
    });
    const path = `/api/teams/${team.slug}/members`;
    const invited = await service.call<{ invite_url: string }>("POST", `${path}/link`, {
      token: owner.token,
      json: { role: "editor" },
    });
    const tab = await chromium.newTab();
    await tab.go(invited.body.invite_url);
    await tab.until(visible("#sign-in-step"));
    expect(await textOf(tab, "#sign-in-step h1")).toBe("Join <b>Sharks</b>");
    expect(await tab.read("location.pathname")).toBe("/invite/-");
    await tab.click("#sign-in-step a[href='/register']");
    await tab.until(at("/register"));
    const email = `ann-${crypto.randomUUID()}@example.com`;
    await tab.type("#email", email);
    await tab.type("#name", "Ann");
    await tab.type("#password", "correct horse");
    await tab.click("#form button");
    await tab.until(`${at("/invite/-")} && ${visible("#accept")}`);
    await tab.click("#accept");
    await tab.until(visible("#done-step"));
    expect((await service.call("GET", path, { token: owner.token })).text).toContain(email);
    await tab.click("#open");
    await tab.until(at("/app"));
    expect(
      await tab.read(`fetch("/api/users/me").then((a) => a.json()).then((me) => me.default_team_id)`),
    ).toBe(team.id);

    const isVerified = () =>
      tab.read(`fetch("/api/users/me").then((a) => a.json()).then((me) => me.is_verified)`);
    await tab.go((await caughtInbox(service, email, /confirm/iu).link()).url);
    expect(await tab.read("location.href")).toBe(`${service.url}/verify-email`);
    expect(await isVerified()).toBe(false);
    await tab.click("#confirm");
    await tab.until(visible("#done-step"));
    expect(await isVerified()).toBe(true);
    await tab.go(`${service.url}/verify-email`);
    await tab.until(visible("#broken-step"));
    expect(tab.complaints).toEqual([]);
  });
});
