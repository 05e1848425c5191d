import { readFile } from "node:fs/promises";
import { eq, sql, type SQLWrapper } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { loginAttempts } from "#src/db/schema/index.ts";
import type { Account } from "#test/support/api-client.ts";
import { browser } from "#test/support/browser.ts";
import { databaseOf } from "#test/support/database.ts";
import { inbox, type Inbox } from "#test/support/inbox.ts";
import { otherThan } from "#test/support/mailbox.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { startSmtpServer, type TestSmtpServer } from "#test/support/smtp-server.ts";

let smtp: TestSmtpServer;
let service: TestService;
/** Each of its limits is the lowest possible, and affects only the test of that limit. */
let strict: TestService;
beforeAll(async () => {
  smtp = await startSmtpServer();
  service = await startService({ TWO_FA_ENABLED: "true", ...smtp.variables });
  strict = await startService({
    TWO_FA_ENABLED: "true",
    TWO_FA_CODE_EXPIRY_SECONDS: "60",
    TWO_FA_CODE_LENGTH: "8",
    TWO_FA_MAX_ATTEMPTS: "1",
    MAIL_SENDS_PER_ACCOUNT: "2",
    ...smtp.variables,
  });
});
afterAll(async () => {
  await Promise.all([service?.close(), strict?.close()]);
  await smtp.close();
});

interface LoginObject {
  access_token: string | null;
  token_type: string;
  requires_2fa: boolean;
  temp_token: string | null;
  method: string | null;
  detail?: string;
}

const AWAITING = {
  access_token: null,
  token_type: "bearer",
  requires_2fa: true,
  temp_token: expect.stringMatching(/^[\w-]{64}$/u),
  method: "email",
};
const OPEN = {
  access_token: expect.stringMatching(/^eyJ/u),
  token_type: "bearer",
  requires_2fa: false,
  temp_token: null,
  method: null,
};

const NO_SESSION = { status: 401, body: { detail: "Invalid or expired verification session" } };
const NO_CODE = { status: 401, body: { detail: "Invalid or expired code" } };

const logIn = ({ email, password }: Account, at = service) =>
  at.call<LoginObject>("POST", "/api/auth/login", { json: { email, password } });

const verify = (tempToken: string | null, code: string, at = service) =>
  at.call<LoginObject>("POST", "/api/auth/2fa/verify", { json: { temp_token: tempToken, code } });

const resend = (tempToken: string | null, path = "/api/auth/2fa/resend") =>
  service.call("POST", path, { form: { temp_token: tempToken ?? "" } });

/** A new account, and the inbox that gets its codes. */
async function newcomer(at = service): Promise<{ account: Account; codes: Inbox }> {
  const account = await at.signUp();
  return { account, codes: inbox(smtp, account.email, /login code/u) };
}

/** A new account whose password was accepted and whose code has come. */
async function halfway(at = service) {
  const { account, codes } = await newcomer(at);
  const { body } = await logIn(account, at);
  return { account, codes, tempToken: body.temp_token, code: await codes.code() };
}

/** As if the account's password had been accepted, and the code mailed, so long ago. */
async function age(at: TestService, userId: string, interval: string) {
  const earlier = (moment: SQLWrapper) => sql`${moment} - ${interval}::interval`;
  await databaseOf(at)
    .update(loginAttempts)
    .set({
      expiresAt: earlier(loginAttempts.expiresAt),
      codeExpiresAt: earlier(loginAttempts.codeExpiresAt),
    })
    .where(eq(loginAttempts.userId, userId));
}

describe("logging in", () => {
  it("takes the code of the mail", async () => {
    const { account, codes } = await newcomer();
    const own = browser(service);
    const { email, password } = account;
    const first = await own.call<LoginObject>("POST", "/api/auth/login", { json: { email, password } });
    expect(first).toMatchObject({ status: 200, body: AWAITING });
    const code = await codes.code();
    expect(code).toMatch(/^\d{6}$/u);
    const json = { temp_token: first.body.temp_token, code };
    const second = await own.call<LoginObject>("POST", "/api/auth/2fa/verify", { json });
    expect(second.status).toBe(200);
    expect(second.body).toEqual(OPEN);
    expect([...own.cookies.keys()].toSorted()).toEqual(["refresh_token", "session"]);
    for (const token of [second.body.access_token ?? "", undefined]) {
      expect(await own.call("GET", "/api/users/me", { token })).toMatchObject({
        status: 200,
        body: { id: account.id },
      });
    }
    expect((await own.call("POST", "/api/auth/refresh")).status).toBe(200);
  });

  it.each(["/api/auth/login", "/auth/login", "/api/auth/jwt/login", "/auth/jwt/login"])(
    "hands out nothing but a temporary token at %s",
    async (path) => {
      const { account } = await newcomer();
      const { email: username, password } = account;
      for (const as of ["json", "form"] as const) {
        const answer = await service.call("POST", path, { [as]: { username, password } });
        expect(answer.status).toBe(200);
        expect(answer.body).toEqual(AWAITING);
        expect(answer.headers.getSetCookie()).toEqual([]);
      }
    },
  );

  it.each(["/api/auth/cookie/login", "/auth/cookie/login"])("is refused at %s", async (path) => {
    const { account, codes } = await newcomer();
    const { email: username, password } = account;
    for (const given of [password, "wrong horse"]) {
      const answer = await service.call("POST", path, { form: { username, password: given } });
      expect(answer).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining("/api/auth/login") },
      });
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect(codes.count()).toBe(0);
  });

  it("does not take the temporary token for anything else", async () => {
    const { tempToken } = await halfway();
    const token = tempToken ?? "";
    for (const headers of [{ authorization: `Bearer ${token}` }, { cookie: `session=${token}` }]) {
      expect((await service.call("GET", "/api/users/me", { headers })).status).toBe(401);
    }
    const cookie = `refresh_token=${token}`;
    expect((await service.call("POST", "/api/auth/refresh", { headers: { cookie } })).status).toBe(401);
    const json = { token, password: "another horse" };
    expect((await service.call("POST", "/api/auth/reset-password", { json })).status).toBe(400);
  });

  it("says the same of an unknown account and a wrong password, and mails nothing", async () => {
    const { account, codes } = await newcomer();
    const bad = { status: 400, body: { detail: "LOGIN_BAD_CREDENTIALS" } };
    expect(await logIn({ ...account, password: "wrong horse" })).toMatchObject(bad);
    expect(await logIn({ ...account, email: "nobody@example.com" })).toMatchObject(bad);
    expect(codes.count()).toBe(0);
  });
});

describe("a code", () => {
  it("may be wrong five times, however often another is sent; then the right one is refused, too", async () => {
    const { codes, tempToken, code } = await halfway();
    for (let time = 1; time <= 3; time += 1) {
      expect(await verify(tempToken, otherThan(code))).toMatchObject(NO_CODE);
    }
    expect(await resend(tempToken)).toMatchObject({ status: 200 });
    const next = await codes.code();
    for (let time = 4; time <= 5; time += 1) {
      expect(await verify(tempToken, otherThan(next))).toMatchObject(NO_CODE);
    }
    expect(await verify(tempToken, next)).toMatchObject(NO_SESSION);
    expect(await resend(tempToken)).toMatchObject(NO_SESSION);
  });

  it.each(["/api/auth/2fa/send", "/api/auth/2fa/resend", "/auth/2fa/send", "/auth/2fa/resend"])(
    "is replaced by another at %s, and dead from there on",
    async (path) => {
      const { codes, tempToken, code } = await halfway();
      expect(await service.call("POST", path, { json: { temp_token: tempToken } })).toMatchObject({
        status: 200,
        body: { detail: "Verification code resent" },
      });
      expect((await resend(tempToken, path)).status).toBe(200);
      const newest = await vi.waitUntil(async () => codes.count() === 3 && codes.code());
      expect(await verify(tempToken, code)).toMatchObject(NO_CODE);
      expect(await verify(tempToken, newest)).toMatchObject({ status: 200, body: OPEN });
    },
  );

  it("opens one session of fifty that are asked for at once", async () => {
    const { account, tempToken, code } = await halfway();
    const answers = await Promise.all(Array.from({ length: 50 }, () => verify(tempToken, code)));
    const [won, ...others] = answers.toSorted((one, other) => one.status - other.status);
    expect(won).toMatchObject({ status: 200, body: OPEN });
    for (const each of others) {
      expect(each).toMatchObject(NO_SESSION);
      expect(each.headers.getSetCookie()).toEqual([]);
    }
    const token = won?.body.access_token ?? "";
    const { body } = await service.call<unknown[]>("GET", "/api/auth/sessions", { token });
    // The one of the registration, and this one.
    expect(body).toHaveLength(2);
    expect(await service.call("GET", "/users/me", { token })).toMatchObject({ body: { id: account.id } });
  });

  it("of one person opens no session with the token of another", async () => {
    const [ann, bob] = [await halfway(), await halfway()];
    expect(await verify(ann.tempToken, bob.code)).toMatchObject(NO_CODE);
    expect(await verify(bob.tempToken, ann.code)).toMatchObject(NO_CODE);
  });

  it.each([
    ["without a code", { temp_token: "x" }, 422],
    ["without a token", { code: "123456" }, 422],
    ["with a number for a code", { temp_token: "x", code: 123_456 }, 422],
    ["with a made-up token", { temp_token: "x", code: "123456" }, 401],
    ["with an empty token", { temp_token: "", code: "" }, 401],
  ])("is refused %s", async (_, json, status) => {
    for (const path of ["/api/auth/2fa/verify", "/auth/2fa/verify"]) {
      const answer = await service.call("POST", path, { json });
      expect(answer).toMatchObject({ status, body: { detail: expect.any(String) } });
    }
  });

  it("is refused with another length as a wrong one", async () => {
    const { tempToken, code } = await halfway();
    for (const other of [code.slice(1), `${code}1`, ""]) {
      expect(await verify(tempToken, other)).toMatchObject(NO_CODE);
    }
    expect((await verify(tempToken, ` ${code} `)).status).toBe(200);
  });

  it("is not in the log and not in the database, and neither is the token", async () => {
    const { tempToken, code } = await halfway();
    await verify(tempToken, otherThan(code));
    const last = await service.call("GET", "/health");
    const log = await vi.waitUntil(async () => {
      const written = await readFile(service.stack.logFile, "utf8");
      return written.includes(last.headers.get("x-request-id") ?? "-") && written;
    });
    const rows = JSON.stringify(await databaseOf(service).select().from(loginAttempts));
    expect(rows).toContain("$argon2id$v=19$m=8,t=2,p=1$");
    for (const written of [log, rows]) {
      expect(written).not.toContain(tempToken);
      expect(written).not.toMatch(new RegExp(`(?<![\\w.-])${code}(?![\\w.-])`, "u"));
    }
  });

  it("is void once the password is another", async () => {
    const { account, tempToken, code } = await halfway();
    const json = { password: "another horse" };
    expect((await service.call("PATCH", "/api/users/me", { token: account.token, json })).status).toBe(200);
    expect(await verify(tempToken, code)).toMatchObject(NO_SESSION);
  });
});

describe("with short lives", () => {
  it("a code is over after its time", async () => {
    const { account, tempToken, code } = await halfway(strict);
    await age(strict, account.id, "61 seconds");
    expect(await verify(tempToken, code, strict)).toMatchObject(NO_CODE);
  });

  it("a login is over after its time", async () => {
    const own = await startService({
      TWO_FA_ENABLED: "true",
      TWO_FA_TEMP_TOKEN_EXPIRY_SECONDS: "60",
      ...smtp.variables,
    });
    try {
      const { account, tempToken, code } = await halfway(own);
      await age(own, account.id, "61 seconds");
      expect(await verify(tempToken, code, own)).toMatchObject(NO_SESSION);
    } finally {
      await own.close();
    }
  });

  it("codes have as many digits, and attempts, as is said", async () => {
    const { tempToken, code } = await halfway(strict);
    expect(code).toMatch(/^\d{8}$/u);
    expect(await verify(tempToken, otherThan(code), strict)).toMatchObject(NO_CODE);
    expect(await verify(tempToken, code, strict)).toMatchObject(NO_SESSION);
  });
});

describe("while the mail server does not take mail", () => {
  it("callers are told, and the codes come later and are good", async () => {
    const [ann, bob] = [await newcomer(), await halfway()];
    // The mails of the registrations come by themselves, and would meet the refusals.
    for (const { account } of [ann, bob]) await inbox(smtp, account.email, /Confirm/u).next();
    smtp.refuse(1, 451);
    const login = await logIn(ann.account);
    expect(login.status).toBe(503);
    expect(login.body).toEqual({ ...AWAITING, detail: expect.stringContaining("being retried") });
    expect(login.headers.getSetCookie()).toEqual([]);
    smtp.refuse(1, 550);
    const sent = await resend(bob.tempToken);
    expect(sent).toMatchObject({ status: 503, body: { detail: expect.stringContaining("being retried") } });
    expect(ann.codes.count()).toBe(0);
    // The second attempt comes after 5 seconds.
    const late = await Promise.all([ann.codes.code(), bob.codes.code()]);
    expect((await verify(login.body.temp_token, late[0])).status).toBe(200);
    expect((await verify(bob.tempToken, late[1])).status).toBe(200);
  });
});

describe("mails to one account", () => {
  it("end at their limit, and do not count for another account", async () => {
    const { account, codes } = await newcomer(strict);
    const answers = [
      await logIn(account, strict),
      await logIn(account, strict),
      await logIn(account, strict),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(Number(answers[2]?.headers.get("retry-after"))).toBeGreaterThan(0);
    const more = await strict.call("POST", "/api/auth/2fa/send", {
      json: { temp_token: answers[0]?.body.temp_token },
    });
    expect(more.status).toBe(429);
    expect(codes.count()).toBe(2);
    expect((await logIn((await newcomer(strict)).account, strict)).status).toBe(200);
    // What strangers ask for with the address alone does not use up the codes.
    const other = await newcomer(strict);
    for (let time = 1; time <= 3; time += 1) {
      await strict.call("POST", "/api/auth/forgot-password", { json: { email: other.account.email } });
    }
    expect((await logIn(other.account, strict)).status).toBe(200);
  });
});
