import type { api } from "@agent-workspace/client";
import jsonwebtoken from "jsonwebtoken";
import { describe, expect, it } from "vitest";
import { signedIn } from "#test/support/browser.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();

const UNAUTHORIZED = { status: 401, body: { detail: "Unauthorized" } };
const rename = { json: { name: "A new name" } };

describe("the cookies of a session", () => {
  it("are set by every way to sign in, for all paths, out of scripts' reach", async () => {
    const account = await service.signUp();
    const form = { username: account.email, password: account.password };
    for (const [path, status] of [
      ["/api/auth/login", 200],
      ["/api/auth/jwt/login", 200],
      ["/api/auth/cookie/login", 204],
    ] as const) {
      const answer = await service.call("POST", path, { form });
      expect(answer.status).toBe(status);
      expect(answer.headers.getSetCookie()).toEqual([
        expect.stringMatching(/^refresh_token=[\w-]{64}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/u),
        expect.stringMatching(/^session=[\w.-]+; Max-Age=1800; Path=\/; HttpOnly; SameSite=Lax$/u),
      ]);
    }
  });

  it("let a browser read, and change with the token that goes with them, which outlives a refresh", async () => {
    const { account, who: own } = await signedIn(service);
    expect(await own.call("GET", "/api/users/me")).toMatchObject({ status: 200, body: { id: account.id } });
    const before = new Map(own.cookies);
    const { body } = await own.call<{ csrf_token: string }>("GET", "/api/auth/csrf");
    expect((await own.call("POST", "/auth/jwt/refresh")).status).toBe(200);
    for (const name of ["session", "refresh_token"]) {
      expect(own.cookies.get(name)).not.toBe(before.get(name));
    }
    // From the service's own pages.
    const headers = { "x-csrf-token": body.csrf_token, origin: new URL(service.url).origin };
    expect(await own.call("PATCH", "/users/me", { ...rename, headers })).toMatchObject({
      status: 200,
      body: { name: "A new name" },
    });
  });
});

it("logging out ends every session, the access tokens with it, and takes the cookies away", async () => {
  const { account, who: own, token } = await signedIn(service);
  const { who: other } = await signedIn(service, account);
  expect((await own.change("POST", "/api/auth/jwt/logout")).status).toBeLessThan(300);
  expect([...own.cookies.keys()]).toEqual(["csrf_token"]);
  for (const each of [token, account.token]) {
    expect(await service.call("GET", "/users/me", { token: each })).toMatchObject(UNAUTHORIZED);
  }
  expect((await other.call("GET", "/users/me")).status).toBe(401);
  expect((await other.call("POST", "/api/auth/refresh")).status).toBe(401);
  // It may be done twice.
  expect((await own.call("POST", "/api/auth/logout")).status).toBe(200);
  expect((await service.call("POST", "/api/auth/login", { json: account })).status).toBe(200);
});

it("one's sessions are listed by device, and can be ended one by one or all but this", async () => {
  const { account, who: own } = await signedIn(service);
  for (const device of ["phone", "tablet"]) {
    const headers = { "user-agent": device, "cf-connecting-ip": "6.6.6.6", "x-forwarded-for": "6.6.6.6" };
    await service.call("POST", "/api/auth/login", { json: account, headers });
  }
  const list = async () => (await own.call<api.Session[]>("GET", "/api/auth/sessions")).body;
  const listed = await list();
  expect(listed).toHaveLength(4);
  expect(listed.filter((each) => each.is_current)).toHaveLength(1);
  const phone = listed.find((each) => each.user_agent === "phone");
  expect(phone).toMatchObject({
    ip_address: "127.0.0.1",
    last_used_at: expect.stringMatching(/Z$/u),
    is_current: false,
  });
  expect((await own.change("DELETE", `/api/auth/sessions/${phone?.id}`)).status).toBe(204);
  expect((await own.change("DELETE", `/api/auth/sessions/${phone?.id}`)).status).toBe(404);
  expect(await own.change("DELETE", "/auth/sessions")).toMatchObject({ status: 200, body: { ended: 2 } });
  expect(await list()).toEqual([expect.objectContaining({ is_current: true })]);
  expect((await service.call("GET", "/users/me", { token: account.token })).status).toBe(401);
});

it("an access token is a JWT as the contract says", async () => {
  const { account, token } = await signedIn(service);
  const secret = service.stack.variables["SECRET_KEY"] ?? "";
  const claims = jsonwebtoken.verify(token, secret, { algorithms: ["HS256"], audience: "workspace:auth" });
  if (typeof claims === "string") throw new Error("The token has no claims");
  expect(claims).toMatchObject({ sub: account.id, aud: ["workspace:auth"], is_admin: expect.any(Boolean) });
  expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(1800);
});
