import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { CHROMIUM, startChromium, type Tab } from "#test/support/chromium.ts";
import { inbox } from "#test/support/inbox.ts";
import { newChannelRow, pairingCode } from "#test/support/channels.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { startSmtpServer, type TestSmtpServer } from "#test/support/smtp-server.ts";

let smtp: TestSmtpServer;
let service: TestService;
beforeAll(async () => {
  smtp = await startSmtpServer();
  service = await startService({
    TWO_FA_ENABLED: "true",
    GITHUB_CLIENT_ID: "id",
    GITHUB_CLIENT_SECRET: "secret",
    ...smtp.variables,
  });
});
afterAll(async () => {
  await service.close();
  await smtp.close();
});

const PAGES = [
  "/login",
  "/register",
  "/forgot-password",
  "/reset-password",
  "/verify-email",
  "/invite/some-token",
  "/oauth/callback",
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

describe.each(PAGES)("the page %s", (path) => {
  it("is there without signing in, under a policy that lets nothing in", async () => {
    const { status, headers } = await service.call("GET", `${path}?token=secret`);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")).toBe(POLICY);
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect((await service.call("POST", path)).status).toBe(405);
  });

  it("brings no script or style of its own, and all that it names is there", async () => {
    const { text } = await service.call("GET", path);
    expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/iu);
    const scripts = Array.from(text.matchAll(/<script([^>]*)>(.*?)<\/script>/gsu));
    expect(scripts.map(([, , content]) => content)).toEqual([""]);
    const named = Array.from(text.matchAll(/\s(?:src|href)="(\/[^"]*)"/gu), ([, address = ""]) => address);
    expect(named.length).toBeGreaterThan(1);
    const statuses = await Promise.all(named.map(async (each) => (await service.call("GET", each)).status));
    expect(statuses).toEqual(named.map(() => 200));
  });

  it("says what each of its fields is, and sends no form by its address", async () => {
    const { text } = await service.call("GET", path);
    const fields = Array.from(text.matchAll(/<input[^>]*\sid="([^"]+)"/gu), ([, id]) => id);
    for (const id of fields) expect(text).toContain(`<label for="${id}">`);
    for (const [form] of text.matchAll(/<form[^>]*>/gu)) expect(form).toContain('method="post"');
    expect(text).toMatch(/<html lang="en">/u);
    expect(text.match(/<noscript>/gu)).toHaveLength(1);
  });
});

describe("the scripts of the pages", () => {
  const files = readdirSync("public/account/scripts");

  it.each(files)("%s makes no markup out of data", (file) => {
    const code = readFileSync(`public/account/scripts/${file}`, "utf8");
    expect(code).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/u);
  });

  it.each(files)("%s is served", async (file) => {
    const { status, headers } = await service.call("GET", `/account/scripts/${file}`);
    expect([status, headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  it.each(["none.js", "..%2Fstyle.css", "..%2F..%2Fdocs%2Fscalar.js", "api", "API.JS"])(
    "are all there is: not %s",
    async (file) => {
      const { status, body } = await service.call("GET", `/account/scripts/${file}`);
      expect([status, body]).toEqual([404, { detail: "Not Found" }]);
    },
  );
});

const at = (path: string) => `location.pathname === ${JSON.stringify(path)}`;
const visible = (selector: string) =>
  `(document.querySelector(${JSON.stringify(selector)})?.checkVisibility() ?? false)`;
const textOf = (tab: Tab, selector: string) =>
  tab.read(`document.querySelector(${JSON.stringify(selector)}).textContent`);

const told = async (tab: Tab) => {
  await tab.until(visible("#message"));
  return textOf(tab, "#message");
};

/** From the login page on, with the code that is mailed. */
async function logIn(tab: Tab, { email, password }: Account) {
  const codes = inbox(smtp, email, /code/iu);
  const before = codes.count();
  await tab.type("#username", email);
  await tab.type("#password", password);
  await tab.click("#password-form button");
  await tab.until(visible("#code"));
  await expect.poll(() => codes.count()).toBeGreaterThan(before);
  await tab.type("#code", await codes.code());
  await tab.click("#code-form button");
}

interface Program {
  device_code: string;
  user_code: string;
  verification_uri_complete: string;
}

async function newProgram(client_name: string): Promise<Program> {
  const json = { client_name };
  return (await service.call<Program>("POST", "/api/auth/device/code", { json })).body;
}

const pollFor = ({ device_code }: Program) =>
  service.call<{ access_token: string }>("POST", "/api/auth/device/token", { json: { device_code } });

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

  async function signedIn(person: Account, path: string): Promise<Tab> {
    const tab = await chromium.newTab();
    await tab.go(`${service.url}${path}`);
    await tab.until(at("/login"));
    await logIn(tab, person);
    await tab.until(at(path));
    return tab;
  }

  it("a person signs in with a code, pairs the desktop app, and unpairs it", async () => {
    const person = await service.signUp();
    const tab = await signedIn(person, "/desktop/pair");
    await tab.click("#mint");
    await tab.until(visible("#open"));
    const link = new URL(String(await tab.read("document.querySelector('#open').href")));
    expect(link.href).toMatch(/^workspace:\/\/pair\?token=/u);
    const paired = await service.call<{ token: string }>("POST", "/api/desktop/pair/exchange", {
      json: { token: link.searchParams.get("token"), device_name: "<img src=x onerror=alert(1)>" },
    });
    expect(paired.status).toBe(200);
    const ping = async () =>
      (await service.call("GET", "/api/desktop/session/ping", { token: paired.body.token })).status;
    expect(await ping()).toBe(200);

    // In the first tab Chromium asks whether to open the desktop app, and takes no other input until it is told.
    const other = await tab.another();
    await other.go(`${service.url}/account/sessions`);
    await other.until(visible("#devices li"));
    expect(await textOf(other, "#devices li p")).toBe("<img src=x onerror=alert(1)>");
    await other.click("#devices button");
    await other.until(visible("#no-devices"));
    expect(await ping()).toBe(401);
    expect([...tab.complaints, ...other.complaints]).toEqual([]);
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
    await tab.until(`document.querySelector("#message").textContent === "Invalid or expired pairing code"`);
    await tab.click("#identities button");
    await tab.until(visible("#none"));
    expect(tab.complaints).toEqual([]);
  });

  it("a program is signed in by the code of its address, shown under its name, and its session ended", async () => {
    const person = await service.signUp();
    const begun = await newProgram("<img src=x onerror=alert(1)>");
    const tab = await chromium.newTab();
    await tab.go(begun.verification_uri_complete);
    await tab.until(at("/login"));
    await logIn(tab, person);
    await tab.until(`${at("/device")} && ${visible("#decide-step")}`);
    expect(await tab.read("location.href")).toBe(`${service.url}/device`);
    expect(await textOf(tab, "#client-name")).toBe("<img src=x onerror=alert(1)>");
    expect(await textOf(tab, "#shown-code")).toBe(begun.user_code);
    expect(await textOf(tab, "#address")).toMatch(/^(127\.0\.0\.1|::1)$/u);
    expect(await textOf(tab, "#who")).toBe(person.email);
    await tab.click("#approve");
    expect(await told(tab)).toMatch(/^Approved/u);
    const { status, body } = await pollFor(begun);
    expect(status).toBe(200);

    await tab.go(`${service.url}/account/sessions`);
    await tab.until(visible("#sessions li button"));
    const names =
      "Array.from(document.querySelectorAll('#sessions .what p:first-child'), (p) => p.textContent)";
    expect(await tab.read(names)).toContain("<img src=x onerror=alert(1)>");
    await tab.click("#end-others");
    await tab.until("document.querySelectorAll('#sessions li').length === 1");
    const ended = await service.call("GET", "/api/users/me", { token: body.access_token });
    expect(ended.status).toBe(401);
    expect(tab.complaints).toEqual([]);
  });

  it("a program is denied by a code that is typed, after a wrong one", async () => {
    const tab = await signedIn(await service.signUp(), "/device");
    const begun = await newProgram("cli");
    await tab.until(visible("#code-step"));
    await tab.type("#code", "BBBB-BBBB");
    await tab.click("#code-form button");
    expect(await told(tab)).toMatch(/^Unknown code/u);
    await tab.type("#code", begun.user_code.toLowerCase().replace("-", " "));
    await tab.click("#code-form button");
    await tab.until(visible("#decide-step"));
    await tab.click("#deny");
    expect(await told(tab)).toMatch(/^Denied/u);
    expect(await pollFor(begun)).toMatchObject({ status: 400, body: { error: "access_denied" } });
  });

  it("an older desktop app is handed a key", async () => {
    const tab = await signedIn(await service.signUp(), "/desktop/pair");
    await tab.click("summary");
    await tab.type("#device", "Old laptop");
    await tab.click("#old-form button");
    await tab.until(visible("#open"));
    const link = new URL(String(await tab.read("document.querySelector('#open').href")));
    expect(link.href).toMatch(/^workspace:\/\/auth\/callback\?token=tsk_[0-9a-f]{32}$/u);
    const token = link.searchParams.get("token") ?? "";
    expect(await service.call("GET", "/api/desktop/session/ping", { token })).toMatchObject({
      status: 200,
      body: { paired: true },
    });
  });

  it("a session goes on when its access token is over, and other sessions can be ended", async () => {
    const person = await service.signUp();
    const tab = await signedIn(person, "/account/sessions");
    await tab.until(`document.querySelectorAll("#sessions li").length === 2`);
    await tab.forgetCookie("session");
    await tab.click("#end-others");
    await tab.until(`document.querySelectorAll("#sessions li").length === 1`);
    expect(await textOf(tab, "#sessions .tag")).toBe("This browser");
    const other = await service.call("GET", "/api/users/me", { token: person.token });
    expect(other.status).toBe(401);
    await tab.click("#sign-out");
    await tab.until(at("/login"));
    await tab.go(`${service.url}/account/sessions`);
    await tab.until(at("/login"));
    expect(tab.complaints).toEqual([]);
  });

  it("a wrong password and a wrong code are told in words", async () => {
    const person = await service.signUp();
    const tab = await chromium.newTab();
    await tab.go(`${service.url}/login?error=oauth_failed`);
    expect(await told(tab)).toMatch(/^Signing in failed/u);
    expect(await tab.read("location.search")).toBe("");
    await tab.type("#username", person.email);
    await tab.type("#password", "wrong");
    await tab.click("#password-form button");
    await tab.until(
      `document.querySelector("#message").textContent === "The username or the password is wrong."`,
    );
    await tab.type("#password", person.password);
    await tab.click("#password-form button");
    await tab.until(visible("#code"));
    await tab.type("#code", "------");
    await tab.click("#code-form button");
    expect(await told(tab)).toBe("Invalid or expired code");
  });

  it("signing in does not redirect to a page of another origin", async () => {
    const tab = await signedIn(await service.signUp(), "/account/sessions");
    for (const next of [
      "https://evil.example/",
      "//evil.example/",
      "/\\evil.example/",
      "javascript:alert(1)",
    ]) {
      await tab.go(`${service.url}/login?${new URLSearchParams({ next }).toString()}`);
      await tab.until(at("/app"));
      expect(await tab.read("location.origin")).toBe(service.url);
    }
    // Of this origin, with a path that would be an address of another origin by itself.
    const trap = `/.//${new URL(service.url).host}//evil.example/`;
    await tab.go(`${service.url}/login?${new URLSearchParams({ next: trap }).toString()}`);
    await tab.until(`location.pathname.includes("evil.example")`);
    expect(await tab.read("location.origin")).toBe(service.url);
    await tab.go(`${service.url}/login?${new URLSearchParams({ next: "/desktop/pair" }).toString()}`);
    await tab.until(at("/desktop/pair"));
  });

  it("only providers with credentials are offered", async () => {
    const tab = await chromium.newTab();
    await tab.go(`${service.url}/login`);
    await tab.until(visible("#github"));
    expect(await tab.read("document.querySelector('#google').hidden")).toBe(true);
  });

  it("what comes back from a provider goes on, or says that it failed", async () => {
    const tab = await signedIn(await service.signUp(), "/account/sessions");
    await tab.go(`${service.url}/oauth/callback`);
    await tab.until(at("/app"));
    await tab.go(`${service.url}/oauth/callback?error=access_denied`);
    await tab.until(visible("#failed-step"));
    expect(await tab.read("location.search")).toBe("");
  });

  it("a forgotten password is set anew by the mailed link, which leaves the address bar", async () => {
    const person = await service.signUp();
    const mails = inbox(smtp, person.email, /reset/iu);
    const tab = await chromium.newTab();
    await tab.go(`${service.url}/forgot-password`);
    await tab.type("#email", person.email);
    await tab.click("#form button");
    await tab.until(visible("#sent-step"));
    const { url, token } = await mails.link();
    await tab.go(url);
    expect(await tab.read("location.href")).toBe(`${service.url}/reset-password`);
    await tab.type("#password", "another horse");
    await tab.type("#again", "another house");
    await tab.click("#form button");
    expect(await told(tab)).toBe("The two passwords are not the same.");
    await tab.type("#again", "another horse");
    await tab.click("#form button");
    await tab.until(visible("#done-step"));
    expect(token).not.toBe("");
    await tab.go(`${service.url}/reset-password?token=${token}`);
    await tab.type("#password", "a third horse");
    await tab.type("#again", "a third horse");
    await tab.click("#form button");
    expect(await told(tab)).toBe("This link has been used, or has expired. Ask for a new one.");
    await tab.go(`${service.url}/login`);
    await logIn(tab, { ...person, password: "another horse" });
    await tab.until(at("/app"));
  });

  it("an address is confirmed by a click on the page of the mailed link, not by opening it", async () => {
    const person = await service.signUp();
    const mails = inbox(smtp, person.email, /confirm|verif/iu);
    await service.call("POST", "/api/auth/request-verify-token", { json: { email: person.email } });
    const { url } = await mails.link();
    const tab = await chromium.newTab();
    await tab.go(url);
    expect(await tab.read("location.href")).toBe(`${service.url}/verify-email`);
    const isVerified = async () =>
      (await service.call<{ is_verified: boolean }>("GET", "/api/users/me", { token: person.token })).body
        .is_verified;
    expect(await isVerified()).toBe(false);
    await tab.click("#confirm");
    await tab.until(visible("#done-step"));
    expect(await isVerified()).toBe(true);
    await tab.go(`${service.url}/verify-email`);
    await tab.until(visible("#broken-step"));
  });

  it("a person without an account makes one and joins the team that they were invited to", async () => {
    const owner = await service.signUp();
    const { body: team } = await service.call<{ slug: string }>("POST", "/api/teams", {
      token: owner.token,
      json: { name: "<b>Sharks</b>" },
    });
    const invited = await service.call<{ invite_url: string }>(
      "POST",
      `/api/teams/${team.slug}/members/link`,
      { token: owner.token, json: { role: "editor" } },
    );
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
    const members = await service.call("GET", `/api/teams/${team.slug}/members`, { token: owner.token });
    expect(members.text).toContain(email);
    expect(tab.complaints).toEqual([]);
  });
});
