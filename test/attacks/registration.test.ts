import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { teams } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { inbox } from "#test/support/inbox.ts";
import { startProduction } from "#test/support/production-service.ts";
import type { TestService } from "#test/support/service.ts";
import { startSmtpServer, type TestSmtpServer } from "#test/support/smtp-server.ts";

/** The operator's, as a stranger may guess it. */
const ADMIN = "Ops@example.com";

let smtp: TestSmtpServer;
/** In production, with an empty database. */
let service: TestService;
beforeAll(async () => {
  smtp = await startSmtpServer();
  service = await startProduction({
    ...smtp.variables,
    ADMIN_EMAIL: ` ${ADMIN.toLowerCase()},second@example.com`,
  });
});
afterAll(async () => {
  await service.close();
  await smtp.close();
});

interface Me {
  email: string;
  is_superuser: boolean;
  is_verified: boolean;
}

const me = async (token: string) => (await service.call<Me>("GET", "/api/users/me", { token })).body;
const linkTo = async (email: string) =>
  (await inbox(smtp, email, /Confirm your email address/u).link()).token;
const verify = (link: string, token?: string) =>
  service.call<Me>("POST", "/api/auth/verify", { json: { token: link }, token });
const accounts = async (token: string) => (await service.call("GET", "/api/admin/users", { token })).status;

interface Credits {
  total_credits: number;
  daily_credits: number;
}
const credits = async (token: string) =>
  (await service.call<Credits>("GET", "/api/billing/credits", { token })).body;

describe("an account in production", () => {
  it("has no bonus before its address is proved, and one however often it is", async () => {
    const { token, email } = await service.signUp("spender");
    expect(await credits(token)).toMatchObject({ total_credits: 5, daily_credits: 5 });
    await verify(await linkTo(email));
    expect(await credits(token)).toMatchObject({ total_credits: 15_005 });
    const other = `other-${email}`;
    await service.call("PATCH", "/api/users/me", { token, json: { email: other } });
    expect(await verify(await linkTo(other))).toMatchObject({ status: 200 });
    expect(await credits(token)).toMatchObject({ total_credits: 15_005 });
  });

  it("makes no credits by making teams, and owns ten of them at most", async () => {
    const { token } = await service.signUp("founder");
    const make = () =>
      service.call<{ slug: string; id: string }>("POST", "/api/teams", { token, json: { name: "Team" } });
    const answers = await Promise.all(Array.from({ length: 12 }, make));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array(9).fill(201), ...Array(3).fill(403)]);
    const made = answers.find(({ status }) => status === 201);
    const { slug, id = "" } = made?.body ?? {};
    expect([slug, id]).toEqual([expect.any(String), expect.any(String)]);
    const [team] = await databaseOf(service).select().from(teams).where(eq(teams.id, id));
    expect(team).toMatchObject({ dailyCredits: 0, signupBonusCredits: 0 });
  });
});

describe("a fresh deployment", () => {
  it("makes no administrator of the stranger who registers first", async () => {
    const stranger = await service.signUp("stranger");
    expect(await me(stranger.token)).toMatchObject({ is_superuser: false });
    await verify(await linkTo(stranger.email), stranger.token);
    expect(await me(stranger.token)).toMatchObject({ is_superuser: false, is_verified: true });
    expect(await accounts(stranger.token)).toBe(403);
  });

  it("makes one of the address in ADMIN_EMAIL, and not before it is proved", async () => {
    const operator = await service.signUp("operator");
    const { token } = operator;
    const changed = await service.call<Me>("PATCH", "/api/users/me", { token, json: { email: ADMIN } });
    expect(changed.body).toMatchObject({ email: ADMIN, is_superuser: false, is_verified: false });
    expect((await verify(await linkTo(ADMIN), token)).status).toBe(200);
    expect(await me(token)).toMatchObject({ is_superuser: true, is_verified: true });
    expect(await accounts(token)).toBe(200);
    const { text } = await service.call("GET", "/api/admin/audit-logs", { token });
    expect(text).toContain('"reason":"ADMIN_EMAIL"');
  });

  it("makes none of a stranger who registers that address and waits for its owner to open the link", async () => {
    const stranger = await service.signUp("squatter");
    const { token } = stranger;
    const email = "second@example.com";
    await service.call("PATCH", "/api/users/me", { token, json: { email } });
    const link = await linkTo(email);
    const owner = await service.signUp("owner");
    expect(await verify(link, owner.token)).toMatchObject({ status: 200 });
    expect(await me(token)).toMatchObject({ is_superuser: false, is_verified: true });
    expect(await me(owner.token)).toMatchObject({ is_superuser: false });

    // A reset shuts the stranger out and makes the account the owner's, who is named.
    await service.call("POST", "/api/auth/forgot-password", { json: { email } });
    const reset = await inbox(smtp, email, /Reset your password/u).link();
    const json = { token: reset.token, password: "a horse of my own" };
    expect((await service.call("POST", "/api/auth/reset-password", { json })).status).toBe(200);
    expect((await service.call("GET", "/api/users/me", { token })).status).toBe(401);
    const login = await service.call<{ access_token: string }>("POST", "/api/auth/login", {
      json: { username: email, password: json.password },
    });
    expect(await me(login.body.access_token)).toMatchObject({ is_superuser: true });
  });
});

const register = (json: object) =>
  service.call("POST", "/api/auth/register", {
    json: { email: `${crypto.randomUUID()}@example.com`, password: "correct horse", ...json },
  });

describe("a stranger who registers", () => {
  it("is not told in production that an address has an account", async () => {
    const { email } = await service.signUp("owner");
    expect(await register({ email, password: "a horse of the stranger" })).toMatchObject({ status: 201 });
  });

  it("is not called as the service is, nor like it", async () => {
    for (const username of ["admin", "4dm1n", "a.d.m.i.n", "SUPP0RT", "root", "api", "projects"]) {
      const refused = { status: 400, body: { detail: "Username is reserved" } };
      expect([username, await register({ username })]).toMatchObject([username, refused]);
    }
  });

  it.each([
    ["seven characters", { password: "k3-x9q2" }],
    ["a common one", { password: "Password123" }],
    ["the address", { email: "somebody.new@example.com", password: "somebody.new@example.com" }],
    ["the address up to the @", { email: "somebody.new@example.com", password: "Somebody.New" }],
  ])("has no password that is %s", async (_, json) => {
    expect(await register(json)).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^Password /u) },
    });
  });

  it.each(["support", "adm1n", "api", "s-e-c-u-r-i-t-y"])("makes no team under the slug %s", async (slug) => {
    const { token } = await service.signUp();
    const answer = await service.call("POST", "/api/teams", { token, json: { name: "Team", slug } });
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining("reserved") } });
  });
});
