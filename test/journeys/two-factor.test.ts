import type { api } from "@agent-workspace/client";
import { describe, expect, it } from "vitest";
import { browser } from "#test/support/browser.ts";
import { caughtInbox } from "#test/support/inbox.ts";
import { otherSharedService } from "#test/support/shared-service.ts";

const service = await otherSharedService("codes");

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

const post = <T = unknown>(path: string, json: unknown) => service.call<T>("POST", path, { json });
const verify = (temp_token: string | null, code: string) =>
  post<api.LoggedIn>("/auth/2fa/verify", { temp_token, code });

/** A new account whose password was accepted and whose code has come. */
async function halfway() {
  const account = await service.signUp();
  const codes = caughtInbox(service, account.email, /login code/u);
  const { email, password } = account;
  const { body } = await post<api.LoggedIn>("/api/auth/login", { email, password });
  return { account, codes, tempToken: body.temp_token, code: await codes.code() };
}

describe("logging in where a code is needed", () => {
  it("takes the code of the mail, and then opens a session with cookies", async () => {
    const { id, email, password } = await service.signUp();
    const own = browser(service);
    const first = await own.call<api.LoggedIn>("POST", "/api/auth/login", { json: { email, password } });
    expect(first).toMatchObject({ status: 200, body: AWAITING });
    const code = await caughtInbox(service, email, /login code/u).code();
    expect(code).toMatch(/^\d{6}$/u);
    const json = { temp_token: first.body.temp_token, code };
    const second = await own.call<api.LoggedIn>("POST", "/api/auth/2fa/verify", { json });
    expect(second).toMatchObject({ status: 200, body: OPEN });
    expect([...own.cookies.keys()].toSorted()).toEqual(["refresh_token", "session"]);
    for (const token of [second.body.access_token ?? "", undefined]) {
      expect(await own.call("GET", "/api/users/me", { token })).toMatchObject({ status: 200, body: { id } });
    }
    expect((await own.call("POST", "/api/auth/refresh")).status).toBe(200);
  });

  it("hands out nothing but a temporary token on every path", async () => {
    const { email: username, password } = await service.signUp();
    for (const [path, as] of [
      ["/auth/login", "json"],
      ["/api/auth/jwt/login", "form"],
    ] as const) {
      const answer = await service.call("POST", path, { [as]: { username, password } });
      expect([answer.status, answer.body]).toEqual([200, AWAITING]);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    for (const given of [password, "wrong horse"]) {
      const form = { username, password: given };
      const answer = await service.call("POST", "/api/auth/cookie/login", { form });
      expect(answer).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining("/api/auth/login") },
      });
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect(await post("/api/auth/login", { username, password: "wrong horse" })).toMatchObject({
      status: 400,
      body: { detail: "LOGIN_BAD_CREDENTIALS" },
    });
  });
});

it("a code is replaced by another that is asked for, and good with spaces around it", async () => {
  const { codes, tempToken, code } = await halfway();
  expect(await post("/api/auth/2fa/send", { temp_token: tempToken })).toMatchObject({
    status: 200,
    body: { detail: "Verification code resent" },
  });
  const newest = await codes.code();
  expect(await verify(tempToken, code)).toMatchObject({
    status: 401,
    body: { detail: "Invalid or expired code" },
  });
  expect(await verify(tempToken, ` ${newest} `)).toMatchObject({ status: 200, body: OPEN });
});
