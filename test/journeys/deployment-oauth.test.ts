import { readFile } from "node:fs/promises";
import { eq } from "drizzle-orm";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { deploymentCredentials } from "#src/db/schema/index.ts";
import { browser } from "#test/support/browser.ts";
import { databaseOf } from "#test/support/database.ts";
import { agree, FAULTS, REGISTERED } from "#test/support/oauth-provider.ts";
import { startService } from "#test/support/service.ts";
import { startVercel } from "#test/support/vercel-server.ts";

const vercel = await startVercel();
const service = await startService({
  VERCEL_CLIENT_ID: REGISTERED.clientId,
  VERCEL_CLIENT_SECRET: REGISTERED.clientSecret,
  VERCEL_OAUTH_BASE_URL: vercel.url,
  VERCEL_API_BASE: vercel.url,
  HOSTING_STANDIN: "false",
  DEPLOYMENT_ENCRYPTION_KEY: "not a Fernet key, and long enough to be hashed to one",
});
afterAll(() => Promise.all([service.close(), vercel.close()]));
const db = databaseOf(service);
beforeEach(() => vercel.heal());

const OAUTH = "/api/deployment-oauth";
const CREDENTIALS = "/api/deployment-credentials";

/** A new person, signed in in a browser of their own. */
async function newVisitor() {
  const account = await service.signUp("deployer");
  const who = browser(service);
  const { body } = await who.call<{ access_token: string }>("POST", "/api/auth/login", { json: account });
  return { account, who, token: body.access_token };
}

type Visitor = Awaited<ReturnType<typeof newVisitor>>;

const authorize = ({ who, token }: Visitor, query = "", provider = "vercel") =>
  who.call<{ auth_url: string; detail: string }>("GET", `${OAUTH}/${provider}/authorize${query}`, { token });

/** A person who agreed at the provider's page, about to come back in this browser. */
async function goTo(query = "", visitor?: Visitor) {
  const about = visitor ?? (await newVisitor());
  const begun = await authorize(about, query);
  const back = await agree(begun.body.auth_url);
  const comeBack = (by = about.who, search = back.search) =>
    by.call<{ detail?: string }>("GET", back.pathname + search);
  return { ...about, begun, back, comeBack };
}

const storedFor = ({ account }: Visitor) =>
  db.select().from(deploymentCredentials).where(eq(deploymentCredentials.userId, account.id));

describe("a hosting account", () => {
  it("is connected by OAuth, tested, and closes its window", async () => {
    const about = await goTo();
    expect(new URL(about.begun.body.auth_url).searchParams.get("code_challenge_method")).toBe("S256");
    expect(about.back.origin + about.back.pathname).toBe(`${service.url}${OAUTH}/vercel/callback`);
    const { status, headers, text } = await about.comeBack();
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const nonce = /script-src 'nonce-(?<nonce>[\w-]+)'/u.exec(headers.get("content-security-policy") ?? "")
      ?.groups?.["nonce"];
    expect(headers.get("content-security-policy")).toBe(
      `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(text).toContain(`<script nonce="${nonce}">setTimeout(() => window.close(), 0);</script>`);
    expect(text).toContain("Vercel is connected");
    const { body } = await about.who.call<{ credentials: { id: string }[] }>("GET", CREDENTIALS, {
      token: about.token,
    });
    expect(body.credentials).toMatchObject([
      { provider: "vercel", auth_type: "oauth", is_default: true, metadata: { account_name: "ada" } },
    ]);
    const test = `${CREDENTIALS}/test/${body.credentials[0]?.id}`;
    const tested = await service.call("POST", test, { token: about.token });
    expect(tested.body).toEqual({
      valid: true,
      provider_info: { account_id: "user_1", account_name: "ada" },
    });
    vercel.expireTokens();
    const after = await service.call("POST", test, { token: about.token });
    expect(after).toMatchObject({ status: 200, body: { valid: false, error: expect.any(String) } });
  });

  it("is connected for a project, not for another person's", async () => {
    const [owner, stranger] = [await newVisitor(), await newVisitor()];
    const { id } = await service.newProject(owner.token);
    expect((await authorize(stranger, `?project_id=${id}`)).status).toBe(404);
    await (await goTo(`?project_id=${id}`, owner)).comeBack();
    expect(await storedFor(owner)).toMatchObject([{ projectId: id, authType: "oauth" }]);
  });

  it("has an expired token refreshed once, however many ask", async () => {
    vercel.lifetime = 1;
    const about = await goTo();
    await about.comeBack();
    vercel.lifetime = 3600;
    const [row] = await storedFor(about);
    const asked = () => vercel.requests.filter((line) => line === "POST /login/oauth/token").length;
    const before = asked();
    const tests = Array.from({ length: 4 }, () =>
      service.call<{ valid: boolean }>("POST", `${CREDENTIALS}/test/${row?.id}`, { token: about.token }),
    );
    expect((await Promise.all(tests)).map(({ body }) => body.valid)).toEqual([true, true, true, true]);
    expect(asked() - before).toBe(1);
    vercel.lifetime = null;
  });
});

describe("a way back", () => {
  it("is good for the browser and session that began it, once", async () => {
    const about = await goTo();
    const other = await newVisitor();
    const elsewhere = await about.comeBack(browser(service));
    expect([elsewhere.status, elsewhere.body.detail]).toEqual([400, "INVALID_STATE_TOKEN"]);
    // The attacker's flow in the victim's browser: the victim's session is not the one that began it.
    other.who.cookies.set("deploy_oauth_state", about.who.cookies.get("deploy_oauth_state") ?? "");
    expect((await about.comeBack(other.who)).status).toBe(400);
    expect([...(await storedFor(about)), ...(await storedFor(other))]).toEqual([]);
    expect((await about.comeBack()).status).toBe(200);
    expect((await about.comeBack()).status).toBe(400);
    expect(await storedFor(about)).toHaveLength(1);
  });

  it("is refused in another session of the same person", async () => {
    const about = await goTo();
    await about.who.call("POST", "/api/auth/login", { json: about.account });
    expect((await about.comeBack()).status).toBe(400);
    expect(await storedFor(about)).toEqual([]);
  });

  it("is refused once the person has signed out", async () => {
    const about = await goTo();
    await about.who.change("POST", "/api/auth/logout");
    expect((await about.comeBack()).status).toBe(400);
    expect(await storedFor(about)).toEqual([]);
  });

  it("is good for no other purpose", async () => {
    const about = await goTo();
    const elsewhere = [`${OAUTH}/netlify/callback`, "/api/git-providers/gitlab/oauth/callback"];
    for (const path of elsewhere) {
      expect([400, 404]).toContain((await about.who.call("GET", path + about.back.search)).status);
    }
    expect(await storedFor(about)).toEqual([]);
  });

  it("connects nothing where the person declined, and repeats no word of the address", async () => {
    const about = await goTo();
    const query = new URLSearchParams({
      state: about.back.searchParams.get("state") ?? "",
      error: "<img src=x onerror=alert(1)>",
      error_description: "<script>alert(1)</script>",
    });
    const { status, text } = await about.comeBack(about.who, `?${query}`);
    expect(status).toBe(200);
    expect(text).toContain("Vercel was not connected: try again");
    expect(text).not.toContain("alert(1)");
    expect((await about.comeBack()).status).toBe(400);
    expect(await storedFor(about)).toEqual([]);
  });

  it("connects nothing with a code of another flow", async () => {
    const [about, other] = [await goTo(), await goTo()];
    const query = new URLSearchParams(about.back.search);
    query.set("code", other.back.searchParams.get("code") ?? "");
    const { status, text } = await about.comeBack(about.who, `?${query}`);
    expect([status, text.includes("was not connected")]).toEqual([200, true]);
    expect(await storedFor(about)).toEqual([]);
  });

  it.each(FAULTS)("connects nothing where the provider %s", async (fault) => {
    const about = await goTo();
    vercel.fail(/token/u, fault);
    const { status, text } = await about.comeBack();
    expect([status, text.includes("was not connected")]).toEqual([200, true]);
    expect(await storedFor(about)).toEqual([]);
  });
});

it("is 501 where it is not configured, and 404 for Cloudflare and unknown providers", async () => {
  const visitor = await newVisitor();
  const statusOf = async (provider: string) => (await authorize(visitor, "", provider)).status;
  expect(await statusOf("netlify")).toBe(501);
  expect(await statusOf("cloudflare")).toBe(404);
  expect(await statusOf("nonsense")).toBe(404);
  const { status } = await visitor.who.call("GET", `${OAUTH}/netlify/callback?state=x&code=y`);
  expect(status).toBe(404);
});

it("tells no secret in its log", async () => {
  expect(vercel.secrets.length).toBeGreaterThan(10);
  const all = await readFile(service.stack.logFile, "utf8");
  expect(all).toContain("a hosting account was not connected");
  expect(vercel.secrets.filter((secret) => all.includes(secret))).toEqual([]);
});
