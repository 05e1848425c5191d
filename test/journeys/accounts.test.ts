import { describe, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();
const PASSWORD = "correct horse";
const newEmail = () => `${crypto.randomUUID()}@example.com`;

/** The refresh cookie of an answer, as a browser would send it back. */
const cookieOf = (headers: Headers) => headers.getSetCookie()[0]?.split("; ")[0] ?? "";
const post = <T = unknown>(path: string, json: unknown, headers = {}) =>
  service.call<T>("POST", path, { json, headers });
const refresh = (cookie: string) => post<{ access_token: string }>("/api/auth/refresh", {}, { cookie });

it("registering hands out a token that works on both addresses of the account, and no role that was asked for", async () => {
  const asks = { is_superuser: true, is_active: true, is_verified: true, is_admin: true };
  const email = newEmail();
  const json = { email, password: PASSWORD, name: "Second", ...asks };
  const { status, body } = await post<{ access_token: string; id: string }>("/auth/register", json);
  expect(status).toBe(201);
  const account = { is_superuser: false, is_admin: false, is_verified: false, name: "Second" };
  expect(body).toMatchObject({ ...account, token_type: "bearer", user: { id: body.id, name: "Second" } });
  for (const path of ["/users/me", "/api/users/me/"]) {
    const me = await service.call("GET", path, { token: body.access_token });
    expect(me).toMatchObject({
      status: 200,
      body: {
        id: body.id,
        email,
        is_superuser: false,
        is_active: true,
        litellm_api_key: null,
        default_team_id: expect.stringMatching(/^[0-9a-f-]{36}$/u),
        created_at: expect.stringMatching(/Z$/u),
      },
    });
    expect(me.text).not.toMatch(/password|\$2/u);
  }
});

describe("logging in", () => {
  it("takes username or address, in either field, as JSON and as a form", async () => {
    const { email, username, password } = await service.signUp();
    const ways = [{ username }, { email }, { username: email }, { email: username.toUpperCase() }];
    for (const [index, identifier] of ways.entries()) {
      const as = index % 2 === 0 ? "json" : "form";
      const answer = await service.call("POST", "/api/auth/login", { [as]: { ...identifier, password } });
      const body = { access_token: expect.any(String), token_type: "bearer", requires_2fa: false };
      expect(answer).toMatchObject({ status: 200, body });
    }
  });

  it("takes an OAuth2 password form", async () => {
    const { email, password, id } = await service.signUp();
    const form = { grant_type: "password", username: email, password, scope: "" };
    const answer = await service.call<{ access_token: string }>("POST", "/auth/jwt/login", { form });
    expect(answer).toMatchObject({ status: 200, body: { token_type: "bearer" } });
    const me = await service.call("GET", "/users/me", { token: answer.body.access_token });
    expect(me).toMatchObject({ status: 200, body: { id } });
  });
});

describe("one's own account", () => {
  it("can be changed, but not raised", async () => {
    const { token } = await service.signUp();
    const json = { name: "Ada Lovelace", username: `ada-${crypto.randomUUID().slice(0, 8)}` };
    const change = (body: object) => service.call("PATCH", "/api/users/me", { token, json: body });
    for (const field of ["is_superuser", "is_verified"]) {
      expect(await change({ ...json, [field]: true })).toMatchObject({
        status: 422,
        body: { detail: `These fields cannot be set here: "${field}"` },
      });
    }
    expect(await change(json)).toMatchObject({
      status: 200,
      body: { ...json, is_superuser: false, is_verified: false },
    });
  });

  it("takes a new password, which ends the sessions of the old one, and no name that is taken", async () => {
    const [other, { token, username, password }] = [await service.signUp(), await service.signUp()];
    const change = (json: unknown) => service.call("PATCH", "/users/me", { token, json });
    expect(await change({ email: other.email })).toMatchObject({
      status: 400,
      body: { detail: "UPDATE_USER_EMAIL_ALREADY_EXISTS" },
    });
    expect(await change({ username: other.username })).toMatchObject({
      status: 409,
      body: { detail: "Username is already taken" },
    });
    const { headers } = await post("/api/auth/login", { username, password });
    expect((await change({ password: "another horse" })).status).toBe(200);
    expect((await refresh(cookieOf(headers))).status).toBe(401);
    expect((await post("/api/auth/login", { username, password })).status).toBe(400);
    expect((await post("/api/auth/login", { username, password: "another horse" })).status).toBe(200);
  });
});
