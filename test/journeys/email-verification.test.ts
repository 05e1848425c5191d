import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { inbox } from "#test/support/inbox.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { startSmtpServer, type TestSmtpServer } from "#test/support/smtp-server.ts";

let smtp: TestSmtpServer;
let service: TestService;
beforeAll(async () => {
  smtp = await startSmtpServer();
  service = await startService(smtp.variables);
});
afterAll(async () => {
  await service.close();
  await smtp.close();
});

const linksTo = (email: string) => inbox(smtp, email, /Confirm your email address/u);

const ask = (email: string, path = "/api/auth/request-verify-token") =>
  service.call("POST", path, { json: { email } });

const verify = (token: string, path = "/api/auth/verify") => service.call("POST", path, { json: { token } });

const BAD_TOKEN = { status: 400, body: { detail: "VERIFY_USER_BAD_TOKEN" } };
const VERIFIED = { status: 400, body: { detail: "VERIFY_USER_ALREADY_VERIFIED" } };

const me = ({ token }: Account) => service.call("GET", "/api/users/me", { token });

describe("an address", () => {
  it("is verified by the link that registering mails, once", async () => {
    const account = await service.signUp();
    const { url, token } = await linksTo(account.email).link();
    expect(url).toBe(`${service.url}/verify-email?token=${token}`);
    expect(await me(account)).toMatchObject({ body: { is_verified: false } });
    expect(await verify(token)).toMatchObject({
      status: 200,
      body: { id: account.id, email: account.email, is_verified: true },
    });
    expect(await me(account)).toMatchObject({ body: { is_verified: true } });
    expect(await verify(token)).toMatchObject(VERIFIED);
  });

  it.each(["/api/auth", "/auth"])("is verified by a link that was asked for: %s", async (family) => {
    const account = await service.signUp();
    const links = linksTo(account.email);
    const first = await links.link();
    expect(await ask(account.email, `${family}/request-verify-token`)).toMatchObject({
      status: 202,
      body: null,
    });
    const second = await links.link();
    expect((await verify(second.token, `${family}/verify`)).status).toBe(200);
    expect(await verify(first.token)).toMatchObject(VERIFIED);
  });

  it("that is new is not verified, gets a link of its own, and makes the old one void", async () => {
    const account = await service.signUp();
    const old = await linksTo(account.email).link();
    const email = `${crypto.randomUUID()}@example.com`;
    const changed = await service.call("PATCH", "/users/me", { token: account.token, json: { email } });
    expect(changed).toMatchObject({ status: 200, body: { email, is_verified: false } });
    expect(await verify(old.token)).toMatchObject(BAD_TOKEN);
    expect((await verify((await linksTo(email).link()).token)).status).toBe(200);
    expect(await me(account)).toMatchObject({ body: { email, is_verified: true } });
    const back = { email: account.email };
    const again = await service.call("PATCH", "/users/me", { token: account.token, json: back });
    expect(again).toMatchObject({ status: 200, body: { is_verified: false } });
  });

  it("is verified by one of twenty that come at once", async () => {
    const account = await service.signUp();
    const { token } = await linksTo(account.email).link();
    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const each of answers.filter(({ status }) => status !== 200)) expect(each).toMatchObject(VERIFIED);
  });

  it.each([
    ["a made-up link", { token: "garbage" }, 400],
    ["an empty one", { token: "" }, 400],
    ["none", {}, 422],
  ])("is not verified by %s", async (_, json, status) => {
    const answer = await service.call("POST", "/api/auth/verify", { json });
    expect(answer).toMatchObject({ status, body: { detail: expect.any(String) } });
  });
});

describe("asking for a link", () => {
  it("responds alike for a verified address and for one without an account, and mails nothing", async () => {
    const account = await service.signUp();
    const links = linksTo(account.email);
    await verify((await links.link()).token);
    const nobody = `${crypto.randomUUID()}@example.com`;
    for (const email of [account.email, nobody]) {
      expect(await ask(email)).toMatchObject({ status: 202, body: null });
    }
    // A mail that was requested later has come, so the earlier ones would have come, too.
    const other = await service.signUp();
    await linksTo(other.email).link();
    expect([links.count(), linksTo(nobody).count()]).toEqual([1, 0]);
  });
});

describe("while the mail server does not take mail", () => {
  it("people register all the same, and get their link later", async () => {
    smtp.refuse(1, 451);
    const account = await service.signUp();
    // The second attempt comes after 5 seconds.
    const { token } = await linksTo(account.email).link();
    expect((await verify(token)).status).toBe(200);
  });
});
