import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sessions, users } from "#src/db/schema/index.ts";
import { browser } from "#test/support/browser.ts";
import type { Account } from "#test/support/api-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { inbox } from "#test/support/inbox.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { startSmtpServer, type TestSmtpServer } from "#test/support/smtp-server.ts";

let smtp: TestSmtpServer;
let service: TestService;
beforeAll(async () => {
  smtp = await startSmtpServer();
  service = await startService({ ...smtp.variables, AUTH_ATTEMPTS_PER_ACCOUNT: "3" });
});
afterAll(async () => {
  await service.close();
  await smtp.close();
});

/** An account that signed in a quarter of an hour ago. */
async function signedInBefore(name = "victim"): Promise<Account> {
  const account = await service.signUp(name);
  await age(account.id);
  return account;
}

async function age(userId: string): Promise<void> {
  const createdAt = new Date(Date.now() - 15 * 60_000);
  await databaseOf(service).update(sessions).set({ createdAt }).where(eq(sessions.userId, userId));
}

const newAddress = () => `${crypto.randomUUID()}@example.com`;

/** Every change that hands an account over. */
const TAKEOVERS = [
  ["password", () => ({ password: "a horse of the thief" })],
  ["email address", () => ({ email: newAddress() })],
  ["both and a name", () => ({ email: newAddress(), password: "a horse of the thief", name: "Thief" })],
] as const;

const PATHS = ["/api/users/me", "/users/me"] as const;

it.each(TAKEOVERS)(
  "a session alone that began long ago changes the %s by the current password only",
  async (_, change) => {
    const { token, username, password, email } = await signedInBefore();
    for (const path of PATHS) {
      expect(await service.call("PATCH", path, { token, json: change() })).toMatchObject({
        status: 403,
        body: { detail: expect.stringMatching(/current_password.*log in again/u) },
      });
    }
    const patch = (current_password: string) =>
      service.call("PATCH", "/api/users/me", { token, json: { ...change(), current_password } });
    expect(await patch("a guess of mine")).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("current_password") },
    });
    expect((await service.call("GET", "/users/me", { token })).body).toMatchObject({ email, name: username });
    expect((await service.call("POST", "/api/auth/login", { json: { email, password } })).status).toBe(200);
    expect(await patch(password)).toMatchObject({ status: 200 });
  },
);

describe("a session alone", () => {
  it("does not become a fresh one by a refresh", async () => {
    const { id, email, password } = await service.signUp();
    const own = browser(service);
    await own.call("POST", "/api/auth/login", { json: { email, password } });
    await age(id);
    expect((await own.call("POST", "/api/auth/refresh")).status).toBe(200);
    const json = { password: "another horse" };
    expect(await own.change("PATCH", "/api/users/me", { json })).toMatchObject({ status: 403 });
  });

  it("changes fields that do not hand over the account", async () => {
    const { token, email } = await signedInBefore();
    const json = { name: "Ada", email: email.toUpperCase() };
    expect(await service.call("PATCH", "/api/users/me", { token, json })).toMatchObject({ status: 200 });
  });

  it("guesses the current password as often as a login does", async () => {
    const { token } = await signedInBefore();
    const statuses: number[] = [];
    for (let guess = 0; guess < 5 && statuses.at(-1) !== 429; guess += 1) {
      const json = { password: "a horse of the thief", current_password: `guess ${guess}` };
      statuses.push((await service.call("PATCH", "/api/users/me", { token, json })).status);
    }
    expect(statuses.at(-1)).toBe(429);
  });

  it("of an administrator is asked for it at the path for administrators, too", async () => {
    const { id, token, password } = await signedInBefore("operator");
    const db = databaseOf(service);
    await db.update(users).set({ isSuperuser: true }).where(eq(users.id, id));
    const path = `/api/users/${id}`;
    const json = { password: "another horse" };
    expect(await service.call("PATCH", path, { token, json })).toMatchObject({ status: 403 });
    const proved = { ...json, current_password: password };
    expect(await service.call("PATCH", path, { token, json: proved })).toMatchObject({ status: 200 });
  });

  it("of an account without a password has to be a fresh one", async () => {
    const { id, token } = await signedInBefore();
    const db = databaseOf(service);
    await db.update(users).set({ passwordHash: null }).where(eq(users.id, id));
    const json = { password: "another horse", current_password: "another horse" };
    const change = () => service.call("PATCH", "/api/users/me", { token, json });
    expect(await change()).toMatchObject({
      status: 403,
      body: { detail: expect.stringMatching(/no password.*log in again/u) },
    });
    await db.update(sessions).set({ createdAt: new Date() }).where(eq(sessions.userId, id));
    expect(await change()).toMatchObject({ status: 200 });
  });
});

describe("the old address is told", () => {
  it("of another address and of another password, however they were changed", async () => {
    const { id, token, email } = await service.signUp();
    const other = newAddress();
    await service.call("PATCH", "/api/users/me", { token, json: { email: other } });
    const { text } = await inbox(smtp, email, /email address was changed/iu).next();
    expect(text).not.toContain(other);

    const changed = inbox(smtp, other, /password was changed/iu);
    await service.call("PATCH", "/api/users/me", { token, json: { password: "another horse" } });
    await changed.next();

    await service.call("POST", "/api/auth/forgot-password", { json: { email: other } });
    const link = await inbox(smtp, other, /Reset your password/u).link();
    await service.call("POST", "/api/auth/reset-password", {
      json: { token: link.token, password: "a third horse" },
    });
    await changed.next();

    const operator = await service.signUp("operator");
    await databaseOf(service).update(users).set({ isSuperuser: true }).where(eq(users.id, operator.id));
    const json = { email: newAddress(), password: "a fourth horse" };
    const by = { token: operator.token, json };
    expect((await service.call("PATCH", `/api/users/${id}`, by)).status).toBe(200);
    await changed.next();
    await inbox(smtp, other, /email address was changed/iu).next();
  });
});
