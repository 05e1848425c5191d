import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Account, ApiAnswer } from "#test/support/api-client.ts";
import { browser } from "#test/support/browser.ts";
import { inbox } from "#test/support/inbox.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { startSmtpServer, type TestSmtpServer } from "#test/support/smtp-server.ts";

const CONSOLE = "https://console.example.com";
const NEW = "another horse";

let smtp: TestSmtpServer;
let service: TestService;
/** The same, where logging in takes a code. */
let stepwise: TestService;
beforeAll(async () => {
  smtp = await startSmtpServer();
  [service, stepwise] = await Promise.all([
    startService({ APP_BASE_URL: CONSOLE, ...smtp.variables }),
    startService({ TWO_FA_ENABLED: "true", ...smtp.variables }),
  ]);
});
afterAll(async () => {
  await Promise.all([service.close(), stepwise.close()]);
  await smtp.close();
});

const forget = (email: string, at = service, path = "/api/auth/forgot-password") =>
  at.call("POST", path, { json: { email } });

const reset = (token: string, password = NEW, at = service, path = "/api/auth/reset-password") =>
  at.call("POST", path, { json: { token, password } });

const BAD_TOKEN = { status: 400, body: { detail: "RESET_PASSWORD_BAD_TOKEN" } };

const logIn = ({ email }: Account, password: string) =>
  service.call<{ access_token: string }>("POST", "/api/auth/login", { json: { email, password } });

const linksOf = ({ email }: Account) => inbox(smtp, email, /Reset your password/u);

/** A new account, and a link that was mailed. */
async function forgetful(at = service): Promise<{ account: Account; token: string }> {
  const account = await at.signUp();
  const links = linksOf(account);
  expect((await forget(account.email, at)).status).toBe(202);
  return { account, token: (await links.link()).token };
}

describe("a forgotten password", () => {
  it.each(["/api/auth", "/auth"])("is replaced by the link of a mail: %s", async (family) => {
    const account = await service.signUp();
    const links = linksOf(account);
    const asked = await forget(account.email.toUpperCase(), service, `${family}/forgot-password`);
    expect(asked).toMatchObject({ status: 202, body: null });
    const { url, token } = await links.link();
    expect(url).toBe(`${CONSOLE}/reset-password?token=${token}`);
    expect(await reset(token, NEW, service, `${family}/reset-password`)).toMatchObject({
      status: 200,
      body: null,
    });
    expect((await logIn(account, account.password)).status).toBe(400);
    const { body } = await logIn(account, NEW);
    // The holder of the link has the mailbox.
    expect(await service.call("GET", "/users/me", { token: body.access_token })).toMatchObject({
      body: { id: account.id, is_verified: true },
    });
  });

  it("ends every session: access tokens, cookies, refresh tokens", async () => {
    const account = await service.signUp();
    const links = linksOf(account);
    const own = browser(service);
    await own.call("POST", "/api/auth/login", { json: account });
    expect((await own.call("GET", "/api/users/me")).status).toBe(200);
    await forget(account.email);
    expect((await reset((await links.link()).token)).status).toBe(200);
    expect((await service.call("GET", "/api/users/me", { token: account.token })).status).toBe(401);
    expect((await own.call("GET", "/api/users/me")).status).toBe(401);
    expect(await own.call("POST", "/api/auth/refresh")).toMatchObject({
      status: 401,
      body: { detail: "Refresh token revoked" },
    });
  });

  it("ends a login that waits for its code", async () => {
    const account = await stepwise.signUp();
    const codes = inbox(smtp, account.email, /login code/u);
    const login = await stepwise.call<{ temp_token: string }>("POST", "/api/auth/login", { json: account });
    const code = await codes.code();
    const links = linksOf(account);
    await forget(account.email, stepwise);
    expect((await reset((await links.link()).token, NEW, stepwise)).status).toBe(200);
    const json = { temp_token: login.body.temp_token, code };
    expect(await stepwise.call("POST", "/api/auth/2fa/verify", { json })).toMatchObject({
      status: 401,
      body: { detail: "Invalid or expired verification session" },
    });
  });

  it("opens no session by itself", async () => {
    const { token } = await forgetful(stepwise);
    const answer = await reset(token, NEW, stepwise);
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []]);
  });
});

describe("a link", () => {
  it("works once of twenty times at once, and never again", async () => {
    const { account, token } = await forgetful();
    const passwords = Array.from({ length: 20 }, (_, index) => `horse number ${index}`);
    const answers = await Promise.all(passwords.map((password) => reset(token, password)));
    const won = passwords.filter((_, index) => answers[index]?.status === 200);
    expect(won).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer).toMatchObject(BAD_TOKEN);
    }
    expect(await reset(token)).toMatchObject(BAD_TOKEN);
    expect((await logIn(account, won[0] ?? "")).status).toBe(200);
  });

  it("is still good after a password that will not do", async () => {
    const { account, token } = await forgetful();
    for (const password of ["12345", "", "é".repeat(37), account.email, account.username.toUpperCase()]) {
      expect(await reset(token, password)).toMatchObject({
        status: 400,
        body: { detail: expect.stringMatching(/^Password must/u) },
      });
    }
    expect((await reset(token)).status).toBe(200);
    expect((await logIn(account, NEW)).status).toBe(200);
  });

  it("is void once the account has another address, or another password", async () => {
    for (const json of [{ email: `${crypto.randomUUID()}@example.com` }, { password: "a third horse" }]) {
      const { account, token } = await forgetful();
      const changed = await service.call("PATCH", "/api/users/me", { token: account.token, json });
      expect(changed.status).toBe(200);
      expect(await reset(token)).toMatchObject(BAD_TOKEN);
    }
  });

  it.each([
    ["a made-up token", { token: "garbage", password: NEW }, 400],
    ["an empty token", { token: "", password: NEW }, 400],
    ["a made-up token and a bad password", { token: "garbage", password: "1" }, 400],
    ["no token", { password: NEW }, 422],
    ["no password", { token: "garbage" }, 422],
    ["a list", { token: ["garbage"], password: NEW }, 422],
  ])("is refused for %s", async (_, json, status) => {
    const answer = await service.call("POST", "/api/auth/reset-password", { json });
    expect(answer).toMatchObject({ status, body: { detail: expect.any(String) } });
  });

  it("is not in the log", async () => {
    const { account, token } = await forgetful();
    await reset("garbage");
    await reset(token, "1");
    const last = await service.call("GET", "/health");
    const log = await vi.waitUntil(async () => {
      const written = await readFile(service.stack.logFile, "utf8");
      return written.includes(last.headers.get("x-request-id") ?? "-") && written;
    });
    for (const secret of [token, account.email, NEW]) expect(log).not.toContain(secret);
  });
});

/** All that lets a stranger tell two responses apart, with the trips to database, queue and objects in a header. */
function shown({ status, headers, text }: ApiAnswer<unknown>) {
  const of = new Map(headers);
  for (const name of ["date", "x-request-id"]) of.delete(name);
  return { status, text, headers: [...of] };
}

describe("asking for a link", () => {
  it("looks the same for an address without an account", async () => {
    const { email } = await service.signUp();
    const [known, unknown] = [await forget(email), await forget(`${crypto.randomUUID()}@example.com`)];
    expect(shown(known)).toEqual(shown(unknown));
    expect(known).toMatchObject({ status: 202, body: null });
    expect(known.headers.get("server-timing")).toContain("publish");
  });

  it("is refused for an invalid address", async () => {
    for (const json of [{ email: "nobody" }, {}, { email: "a@b.c\r\nBcc: d@e.f" }]) {
      const answer = await service.call("POST", "/api/auth/forgot-password", { json });
      expect(answer.status).toBe(422);
    }
  });

  it("fails alike for every address while the mail server is away; the mail comes later", async () => {
    const account = await service.signUp();
    const links = linksOf(account);
    await smtp.down();
    const [known, unknown] = [
      await forget(account.email),
      await forget(`${crypto.randomUUID()}@example.com`),
    ];
    await smtp.up();
    expect(known).toMatchObject({ status: 503, body: { detail: expect.stringContaining("mail server") } });
    expect(shown(known)).toEqual(shown(unknown));
    // The second attempt comes after 5 seconds.
    const { token } = await links.link();
    expect((await reset(token)).status).toBe(200);
  });

  it("ends at its limit, for addresses with and without an account", async () => {
    const own = await startService({ MAIL_SENDS_PER_ACCOUNT: "2", ...smtp.variables });
    try {
      const { email } = await own.signUp();
      for (const address of [email, "nobody@example.com"]) {
        const asked = [address, address.toUpperCase(), address];
        const answers = await Promise.all(asked.map((each) => forget(each, own)));
        expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
        expect(answers.filter(({ status }) => status === 202)).toHaveLength(2);
      }
    } finally {
      await own.close();
    }
  });
});
