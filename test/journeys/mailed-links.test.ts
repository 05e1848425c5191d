import { beforeAll, describe, expect, it } from "vitest";
import type { Account, ApiAnswer } from "#test/support/api-client.ts";
import { browser } from "#test/support/browser.ts";
import { caughtInbox } from "#test/support/inbox.ts";
import { otherSharedService, type SharedService } from "#test/support/shared-service.ts";

const NEW = "another horse";

let service: SharedService;
beforeAll(async () => {
  service = await otherSharedService("codes");
});

const post = (path: string, json: unknown) => service.call("POST", path, { json });
const me = ({ token }: Account) => service.call("GET", "/api/users/me", { token });
const confirmations = (email: string) => caughtInbox(service, email, /Confirm your email address/u);
const resets = (email: string) => caughtInbox(service, email, /Reset your password/u);

/** All that lets a stranger tell two responses apart, with the trips to database, queue and objects in a header. */
function shown({ status, headers, text }: ApiAnswer<unknown>) {
  const of = new Map(headers);
  for (const name of ["date", "x-request-id"]) of.delete(name);
  return { status, text, headers: [...of] };
}

describe("an address", () => {
  const VERIFIED = { status: 400, body: { detail: "VERIFY_USER_ALREADY_VERIFIED" } };

  it("is verified once, by the link that registering mails or by one that was asked for", async () => {
    const account = await service.signUp();
    const links = confirmations(account.email);
    const first = await links.link();
    expect(first.url).toBe(`${service.url}/verify-email?token=${first.token}`);
    const asked = await post("/api/auth/request-verify-token", { email: account.email });
    expect(asked).toMatchObject({ status: 202, body: null });
    const second = await links.link();
    expect(await me(account)).toMatchObject({ body: { is_verified: false } });
    expect(await post("/api/auth/verify", { token: second.token })).toMatchObject({
      status: 200,
      body: { id: account.id, email: account.email, is_verified: true },
    });
    expect(await me(account)).toMatchObject({ body: { is_verified: true } });
    for (const { token } of [first, second]) {
      expect(await post("/auth/verify", { token })).toMatchObject(VERIFIED);
    }
    // Alike for a verified address and for one without an account.
    const nobody = await post("/auth/request-verify-token", { email: `${crypto.randomUUID()}@example.com` });
    expect(nobody).toMatchObject({ status: 202, body: null });
    expect((await post("/auth/request-verify-token", { email: account.email })).text).toBe(nobody.text);
  });

  it("that is new is not verified, and gets a link of its own, which makes the old one void", async () => {
    const account = await service.signUp();
    const old = await confirmations(account.email).link();
    const email = `${crypto.randomUUID()}@example.com`;
    const changed = await service.call("PATCH", "/users/me", { token: account.token, json: { email } });
    expect(changed).toMatchObject({ status: 200, body: { email, is_verified: false } });
    expect(await post("/api/auth/verify", { token: old.token })).toMatchObject({
      status: 400,
      body: { detail: "VERIFY_USER_BAD_TOKEN" },
    });
    const { token } = await confirmations(email).link();
    expect((await post("/api/auth/verify", { token })).status).toBe(200);
  });
});

describe("a forgotten password", () => {
  const BAD_TOKEN = { status: 400, body: { detail: "RESET_PASSWORD_BAD_TOKEN" } };

  it("is replaced once by the link of a mail, which opens no session and ends every other", async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const own = browser(service);
    const json = { email, password: "correct horse" };
    const registered = await own.call<{ access_token: string }>("POST", "/api/auth/register", { json });
    expect(await post("/api/auth/forgot-password", { email: email.toUpperCase() })).toMatchObject({
      status: 202,
      body: null,
    });
    const { url, token } = await resets(email).link();
    expect(url).toBe(`${service.url}/reset-password?token=${token}`);
    // The link is still good after a password that will not do.
    expect(await post("/api/auth/reset-password", { token, password: "12345" })).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^Password must/u) },
    });
    const done = await post("/auth/reset-password", { token, password: NEW });
    expect(done).toMatchObject({ status: 200, body: null });
    expect(done.headers.getSetCookie()).toEqual([]);
    expect(await post("/api/auth/reset-password", { token, password: NEW })).toMatchObject(BAD_TOKEN);
    expect((await service.call("GET", "/users/me", { token: registered.body.access_token })).status).toBe(
      401,
    );
    expect((await own.call("GET", "/api/users/me")).status).toBe(401);
    expect(await own.call("POST", "/api/auth/refresh")).toMatchObject({
      status: 401,
      body: { detail: "Refresh token revoked" },
    });
    expect((await post("/api/auth/login", json)).status).toBe(400);
    expect((await post("/api/auth/login", { email, password: NEW })).status).toBe(200);
  });

  it("looks the same to a stranger for an address without an account", async () => {
    const { email } = await service.signUp();
    const [known, unknown] = [
      await post("/auth/forgot-password", { email }),
      await post("/auth/forgot-password", { email: `${crypto.randomUUID()}@example.com` }),
    ];
    expect(shown(known)).toEqual(shown(unknown));
    expect(known).toMatchObject({ status: 202, body: null });
    expect(known.headers.get("server-timing")).toContain("publish");
  });

  it.each([
    ["/api/auth/reset-password", { token: "", password: NEW }, 400],
    ["/api/auth/reset-password", { password: NEW }, 422],
    ["/api/auth/forgot-password", { email: "a@b.c\r\nBcc: d@e.f" }, 422],
    ["/api/auth/verify", { token: "garbage" }, 400],
    ["/api/auth/verify", {}, 422],
  ])("and a confirmation are refused at %s for %j", async (path, json, status) => {
    expect(await post(path, json)).toMatchObject({ status, body: { detail: expect.any(String) } });
  });
});
