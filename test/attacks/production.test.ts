import type { api } from "@agent-workspace/client";
import { afterAll, describe, expect, it } from "vitest";
import { inbox } from "#test/support/inbox.ts";
import { previewVisitor } from "#test/support/preview-visitor.ts";
import { startProduction } from "#test/support/production-service.ts";
import { newRunningSite } from "#test/support/site.ts";
import { startSmtpServer } from "#test/support/smtp-server.ts";

/** The operator's, as a stranger may guess it. */
const ADMIN = "Ops@example.com";

const smtp = await startSmtpServer();
/** In production, with an empty database and with hosts for previews. */
const service = await startProduction({
  ...smtp.variables,
  ADMIN_EMAIL: ` ${ADMIN.toLowerCase()},second@example.com`,
  APP_DOMAIN: "previews.example",
});
afterAll(async () => {
  await service.close();
  await smtp.close();
});

const me = async (token: string) => (await service.call<api.User>("GET", "/api/users/me", { token })).body;
const linkTo = async (email: string) =>
  (await inbox(smtp, email, /Confirm your email address/u).link()).token;
const verify = (link: string, token?: string) =>
  service.call<api.User>("POST", "/api/auth/verify", { json: { token: link }, token });
const claim = (token: string, email: string) =>
  service.call<api.User>("PATCH", "/api/users/me", { token, json: { email } });
const accounts = async (token: string) => (await service.call("GET", "/api/admin/users", { token })).status;

describe("a fresh deployment", () => {
  it("makes no administrator of the stranger who registers first", async () => {
    const { token, email } = await service.signUp("stranger");
    expect(await me(token)).toMatchObject({ is_superuser: false });
    await verify(await linkTo(email), token);
    expect(await me(token)).toMatchObject({ is_superuser: false, is_verified: true });
    expect(await accounts(token)).toBe(403);
  });

  it("makes one of the address in ADMIN_EMAIL, and not before it is proved", async () => {
    const { token } = await service.signUp("operator");
    const changed = await claim(token, ADMIN);
    expect(changed.body).toMatchObject({ email: ADMIN, is_superuser: false, is_verified: false });
    expect((await verify(await linkTo(ADMIN), token)).status).toBe(200);
    expect(await me(token)).toMatchObject({ is_superuser: true, is_verified: true });
    expect(await accounts(token)).toBe(200);
    const { text } = await service.call("GET", "/api/admin/audit-logs", { token });
    expect(text).toContain('"reason":"ADMIN_EMAIL"');
  });

  it("makes none of a stranger who registers that address and waits for its owner to open the link", async () => {
    const [stranger, owner] = [await service.signUp("squatter"), await service.signUp("owner")];
    const email = "second@example.com";
    await claim(stranger.token, email);
    expect(await verify(await linkTo(email), owner.token)).toMatchObject({ status: 200 });
    expect(await me(stranger.token)).toMatchObject({ is_superuser: false, is_verified: true });
    expect(await me(owner.token)).toMatchObject({ is_superuser: false });

    // A reset shuts the stranger out and makes the account the owner's, who is named.
    await service.call("POST", "/api/auth/forgot-password", { json: { email } });
    const reset = await inbox(smtp, email, /Reset your password/u).link();
    const json = { token: reset.token, password: "a horse of my own" };
    expect((await service.call("POST", "/api/auth/reset-password", { json })).status).toBe(200);
    expect((await service.call("GET", "/api/users/me", { token: stranger.token })).status).toBe(401);
    const login = await service.call<{ access_token: string }>("POST", "/api/auth/login", {
      json: { username: email, password: json.password },
    });
    expect(await me(login.body.access_token)).toMatchObject({ is_superuser: true });
  });

  it("does not tell a stranger that an address has an account", async () => {
    const { email } = await service.signUp("owner");
    const json = { email, password: "a horse of the stranger" };
    expect((await service.call("POST", "/api/auth/register", { json })).status).toBe(201);
  });

  it("lets nobody be called as the service is, or like it, nor use a password that anybody guesses", async () => {
    const register = (json: object) =>
      service.call("POST", "/api/auth/register", {
        json: { email: `${crypto.randomUUID()}@example.com`, password: "correct horse", ...json },
      });
    for (const username of ["admin", "4dm1n", "a.d.m.i.n"]) {
      const refused = { status: 400, body: { detail: "Username is reserved" } };
      expect([username, await register({ username })]).toMatchObject([username, refused]);
    }
    const guessed = await register({ password: "Password123" });
    expect(guessed).toMatchObject({ status: 400, body: { detail: expect.stringMatching(/^Password /u) } });
    const { token } = await service.signUp();
    const team = await service.call("POST", "/api/teams", { token, json: { name: "Team", slug: "adm1n" } });
    expect(team).toMatchObject({ status: 400, body: { detail: expect.stringContaining("reserved") } });
  });
});

it("what users built is not served on the service's own origin where previews have hosts", async () => {
  const { token } = await service.signUp("owner");
  const { id, slug } = await newRunningSite(service, token, { "index.html": "mine" });
  const { body } = await service.call("GET", `/api/projects/${id}/containers`, { token });
  const url = `http://${slug}--web.previews.example:${new URL(service.url).port}`;
  expect(body).toMatchObject([{ url, preview_path: null }]);
  for (const path of ["", "/", "/index.html", "/~token/"]) {
    const answer = await service.call("GET", `/preview/${slug}/web${path}`, { token });
    expect(answer).toMatchObject({ status: 404, body: { detail: expect.stringContaining("hosts") } });
  }
  const headers = { authorization: `Bearer ${token}` };
  const page = await previewVisitor(service.url).open(`${url}/`, headers);
  expect(page).toMatchObject({ status: 200, text: "mine" });
});
