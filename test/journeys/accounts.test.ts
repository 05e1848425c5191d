import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startService, type TestService } from "#test/support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.close();
});

const PASSWORD = "correct horse";
let last = 0;
const newEmail = () => `someone${(last += 1)}@example.com`;

/** The refresh cookie of an answer, as a browser would send it back, and its attributes. */
function cookieOf(headers: Headers): { cookie: string; attributes: string } {
  const [setCookie = ""] = headers.getSetCookie();
  const [cookie = "", ...attributes] = setCookie.split("; ");
  return { cookie, attributes: attributes.join("; ") };
}

const refresh = (cookie?: string, path = "/api/auth/refresh") =>
  service.call<{ access_token: string; detail: string }>("POST", path, {
    json: {},
    ...(cookie !== undefined && { headers: { cookie } }),
  });

describe("registering", () => {
  it("makes the first account the administrator, and no later account that asks for the role", async () => {
    const asks = { is_superuser: true, is_active: true, is_verified: true, is_admin: true };
    const first = await service.call<{ access_token: string; token_type: string; id: string; user: unknown }>(
      "POST",
      "/api/auth/register",
      { json: { email: newEmail(), username: "admin", password: PASSWORD, ...asks } },
    );
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      is_superuser: true,
      is_admin: true,
      is_verified: false,
      token_type: "bearer",
    });
    expect(first.body.user).toMatchObject({ id: first.body.id, username: "admin", name: "admin" });
    const second = await service.call("POST", "/auth/register", {
      json: { email: newEmail(), password: PASSWORD, name: "Second", ...asks },
    });
    expect(second.status).toBe(201);
    expect(second.body).toMatchObject({
      is_superuser: false,
      is_admin: false,
      is_verified: false,
      name: "Second",
    });
  });

  it("hands out a token that works, on both addresses of the account", async () => {
    const account = await service.signUp("ada");
    for (const path of ["/users/me", "/api/users/me", "/api/users/me/"]) {
      const { status, body, text } = await service.call("GET", path, { token: account.token });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        id: account.id,
        email: account.email,
        username: account.username,
        is_active: true,
        litellm_api_key: null,
        default_team_id: expect.stringMatching(/^[0-9a-f-]{36}$/u),
        created_at: expect.stringMatching(/Z$/u),
      });
      expect(text).not.toContain("password");
      expect(text).not.toContain("$2");
    }
  });

  it.each([
    ["no address", { email: "nobody", password: PASSWORD }, 422, /^email: /u],
    ["no password", { email: "a@example.com" }, 422, /^password: /u],
    ["a short password", { email: "a@example.com", password: "12345" }, 400, /at least 8/u],
    ["a long password", { email: "a@example.com", password: "é".repeat(37) }, 400, /at most 72 bytes/u],
    ["the address as password", { email: "a@example.com", password: "A@example.com" }, 400, /email address/u],
    [
      "an address as username",
      { email: "a@example.com", username: "b@example.com", password: PASSWORD },
      422,
      /^username: /u,
    ],
    ["a NUL", { email: "a@example.com", name: "a\0b", password: PASSWORD }, 422, /^name: .*NUL/u],
    [
      "half a character",
      { email: "a@example.com", name: "\ud800", password: PASSWORD },
      422,
      /^name: .*Unicode/u,
    ],
  ])("refuses %s in a sentence", async (_, json, status, detail) => {
    const answer = await service.call("POST", "/api/auth/register", { json });
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ detail: expect.stringMatching(detail) });
  });

  it("refuses a name that is taken, in any case", async () => {
    const { email, username } = await service.signUp("taken");
    for (const json of [
      { email: email.toUpperCase() },
      { email: newEmail(), username: username.toUpperCase() },
    ]) {
      const answer = await service.call("POST", "/api/auth/register", {
        json: { ...json, password: PASSWORD },
      });
      expect(answer).toMatchObject({ status: 400, body: { detail: "REGISTER_USER_ALREADY_EXISTS" } });
    }
  });
});

describe("logging in", () => {
  it.each(["json", "form"] as const)("takes username or address, in either field, as %s", async (as) => {
    const { email, username, password } = await service.signUp();
    for (const identifier of [
      { username },
      { email },
      { username: email },
      { email: username.toUpperCase() },
    ]) {
      const answer = await service.call("POST", "/api/auth/login", { [as]: { ...identifier, password } });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        access_token: expect.any(String),
        token_type: "bearer",
        requires_2fa: false,
        temp_token: null,
        method: null,
      });
      expect(cookieOf(answer.headers).cookie).toMatch(/^refresh_token=[\w-]{64}$/u);
    }
  });

  it.each(["/auth/jwt/login", "/api/auth/jwt/login"])("takes an OAuth2 password form at %s", async (path) => {
    const { email, password, id } = await service.signUp();
    const form = { grant_type: "password", username: email, password, scope: "" };
    const answer = await service.call<{ access_token: string }>("POST", path, { form });
    expect(answer).toMatchObject({ status: 200, body: { token_type: "bearer" } });
    const me = await service.call("GET", "/users/me", { token: answer.body.access_token });
    expect(me).toMatchObject({ status: 200, body: { id } });
  });

  it("says the same for an unknown account as for a wrong password", async () => {
    const { email } = await service.signUp();
    for (const json of [
      { username: email, password: "wrong horse" },
      { username: "nobody-at-all", password: PASSWORD },
    ]) {
      const answer = await service.call("POST", "/api/auth/login", { json });
      expect(answer).toMatchObject({ status: 400, body: { detail: "LOGIN_BAD_CREDENTIALS" } });
    }
  });

  it("refuses credentials without an identifier", async () => {
    const answer = await service.call("POST", "/api/auth/login", { json: { password: PASSWORD } });
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: "username: username or email is required" },
    });
  });

  it("sets a cookie that scripts cannot read, for all paths and two weeks", async () => {
    const { username, password } = await service.signUp();
    const answer = await service.call("POST", "/api/auth/login", { json: { username, password } });
    expect(cookieOf(answer.headers).attributes).toBe("Max-Age=1209600; Path=/; HttpOnly; SameSite=Lax");
  });
});

/** The refresh cookie of a new account. */
async function logIn(): Promise<string> {
  const { username, password } = await service.signUp();
  const { headers } = await service.call("POST", "/api/auth/login", { json: { username, password } });
  return cookieOf(headers).cookie;
}

describe("refreshing", () => {
  it.each(["/api/auth/refresh", "/auth/jwt/refresh", "/api/auth/jwt/refresh"])(
    "gives new tokens once at %s; the second time the session is over",
    async (path) => {
      const cookie = await logIn();
      const first = await refresh(cookie, path);
      expect(first).toMatchObject({ status: 200, body: { token_type: "bearer" } });
      const me = await service.call("GET", "/users/me", { token: first.body.access_token });
      expect(me.status).toBe(200);
      expect((await refresh(cookie, path)).status).toBe(401);
      const rotated = cookieOf(first.headers).cookie;
      expect(await refresh(rotated, path)).toMatchObject({
        status: 401,
        body: { detail: "Refresh token revoked" },
      });
    },
  );

  it("refuses no cookie and a made-up one by name", async () => {
    expect(await refresh()).toMatchObject({ status: 401, body: { detail: "No refresh token" } });
    expect(await refresh("refresh_token=garbage")).toMatchObject({
      status: 401,
      body: { detail: "Invalid refresh token" },
    });
  });

  it("is over after logging out, which may be done twice", async () => {
    const cookie = await logIn();
    for (let time = 1; time <= 2; time += 1) {
      const answer = await service.call("POST", "/api/auth/logout", { headers: { cookie } });
      expect(answer).toMatchObject({ status: 200, body: { detail: "Logged out" } });
      expect(cookieOf(answer.headers)).toMatchObject({
        cookie: "refresh_token=",
        attributes: expect.stringContaining("Max-Age=0"),
      });
    }
    expect((await refresh(cookie)).status).toBe(401);
  });

  it("does not let the refresh cookie stand in for a token", async () => {
    const cookie = await logIn();
    expect((await service.call("GET", "/users/me", { headers: { cookie } })).status).toBe(401);
  });
});

describe("one's own account", () => {
  it("can be changed, but not raised", async () => {
    const { token } = await service.signUp();
    const json = { name: "Ada Lovelace", username: "ada-the-first" };
    const change = (body: object) => service.call("PATCH", "/api/users/me", { token, json: body });
    for (const field of ["is_superuser", "is_verified"]) {
      const refused = await change({ ...json, [field]: true });
      expect(refused).toMatchObject({
        status: 422,
        body: { detail: `These fields cannot be set here: "${field}"` },
      });
    }
    expect(await change(json)).toMatchObject({
      status: 200,
      body: { ...json, is_superuser: false, is_verified: false },
    });
  });

  it("takes a new password, which ends the sessions of the old one", async () => {
    const { token, username, password } = await service.signUp();
    const { headers } = await service.call("POST", "/api/auth/login", { json: { username, password } });
    const changed = await service.call("PATCH", "/users/me", { token, json: { password: "another horse" } });
    expect(changed.status).toBe(200);
    expect((await refresh(cookieOf(headers).cookie)).status).toBe(401);
    const old = await service.call("POST", "/api/auth/login", { json: { username, password } });
    expect(old.status).toBe(400);
    const fresh = await service.call("POST", "/api/auth/login", {
      json: { username, password: "another horse" },
    });
    expect(fresh.status).toBe(200);
  });

  it("refuses names that are taken or reserved", async () => {
    const [other, { token }] = [await service.signUp(), await service.signUp()];
    const change = (json: unknown) => service.call("PATCH", "/users/me", { token, json });
    expect(await change({ email: other.email })).toMatchObject({
      status: 400,
      body: { detail: "UPDATE_USER_EMAIL_ALREADY_EXISTS" },
    });
    expect(await change({ username: other.username })).toMatchObject({
      status: 409,
      body: { detail: "Username is already taken" },
    });
    expect(await change({ username: "root" })).toMatchObject({
      status: 400,
      body: { detail: "Username is reserved" },
    });
  });

  it.each([
    ["no token", undefined],
    ["a made-up token", "eyJhbGciOiJub25lIn0.e30."],
    ["a key", `tsk_${"0".repeat(32)}`],
  ])("is not shown for %s", async (_, token) => {
    const answer = await service.call("GET", "/users/me", { token });
    expect(answer).toMatchObject({ status: 401, body: { detail: "Unauthorized" } });
  });
});
