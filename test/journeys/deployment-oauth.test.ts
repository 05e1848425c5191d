import { eq } from "drizzle-orm";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { deploymentCredentials } from "#src/db/schema/index.ts";
import { browser } from "#test/support/browser.ts";
import { databaseOf } from "#test/support/database.ts";
import { newDeployer, see, tellStandin } from "#test/support/deployer.ts";
import { otherSharedService, type SharedService } from "#test/support/shared-service.ts";

/*
 * An account at the stand-in is connected by its page. What each provider's client sends is shown in
 * test/platform/hosting/oauth.test.ts, and what is stored in test/domain/hosting/credentials. No other file exchanges codes at
 * this stand-in, so its faults reach this one alone.
 */
let service: SharedService;
let db: ReturnType<typeof databaseOf>;
beforeAll(async () => {
  service = await otherSharedService("eager");
  db = databaseOf(service);
});
afterEach(() => tellStandin(service, "faults", { faults: [] }));

const OAUTH = "/api/deployment-oauth";
const CREDENTIALS = "/api/deployment-credentials";

/** A new person, signed in in a browser of their own. */
async function newVisitor() {
  const deployer = await newDeployer(service);
  const who = browser(service);
  const json = { email: deployer.email, password: deployer.password };
  const { body } = await who.call<{ access_token: string }>("POST", "/api/auth/login", { json });
  return { deployer, who, session: body.access_token };
}

type Visitor = Awaited<ReturnType<typeof newVisitor>>;

const authorize = ({ who, session }: Visitor, provider = "vercel", query = "") =>
  who.call<{ auth_url: string }>("GET", `${OAUTH}/${provider}/authorize${query}`, { token: session });

/** A person who agreed at the provider's page, about to come back in this browser. */
async function goTo({ decision = "allow", visitor }: { decision?: string; visitor?: Visitor } = {}) {
  const about = visitor ?? (await newVisitor());
  const { status, text, body } = await authorize(about);
  if (status !== 200) throw new Error(text);
  const url = body.auth_url;
  const page = await fetch(url);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("wants to publish")]);
  const pressed = await fetch(url, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ decision, account: about.deployer.username }),
    headers: { origin: new URL(url).origin },
  });
  const back = new URL(pressed.headers.get("location") ?? "");
  const comeBack = (by = about.who, search = back.search) =>
    by.call<{ detail?: string }>("GET", back.pathname + search);
  return { ...about, back, comeBack };
}

const storedFor = ({ deployer }: Visitor) =>
  db.select().from(deploymentCredentials).where(eq(deploymentCredentials.userId, deployer.id));

const NOT_CONNECTED = [200, expect.stringContaining("Vercel was not connected")];

describe("a hosting account", () => {
  it("is connected by OAuth, tested, closes its window, and is published to", async () => {
    const about = await goTo();
    expect(about.back.origin + about.back.pathname).toBe(`${service.url}${OAUTH}/vercel/callback`);
    const { status, headers, text } = await about.comeBack();
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const policy = headers.get("content-security-policy") ?? "";
    const nonce = /script-src 'nonce-(?<nonce>[\w-]+)'/u.exec(policy)?.groups?.["nonce"];
    expect(policy).toBe(
      `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(text).toContain(`<script nonce="${nonce}">setTimeout(() => window.close(), 0);</script>`);
    expect(text).toContain("Vercel is connected");

    const { deployer } = about;
    const { body } = await deployer.call<{ credentials: { id: string }[] }>("GET", CREDENTIALS);
    expect(body.credentials).toMatchObject([{ provider: "vercel", auth_type: "oauth", is_default: true }]);
    const tested = await deployer.call("POST", `${CREDENTIALS}/test/${body.credentials[0]?.id}`);
    expect(tested.body).toMatchObject({ valid: true, provider_info: { account_id: expect.any(String) } });
    const project = await deployer.newProject({ "index.html": "<h1>By OAuth</h1>" });
    const live = await deployer.succeeded(await deployer.deploy(project, { provider: "vercel" }));
    expect(await see(service, live.deployment_url)).toEqual({ status: 200, body: "<h1>By OAuth</h1>" });
  });
});

describe("a way back", () => {
  it("connects nothing where the person declined, and repeats no word of the address", async () => {
    const about = await goTo({ decision: "deny" });
    const query = new URLSearchParams(about.back.search);
    query.set("error_description", "<script>alert(1)</script>");
    const { status, text } = await about.comeBack(about.who, `?${query}`);
    expect([status, text]).toEqual(NOT_CONNECTED);
    expect(text).not.toContain("alert(1)");
    expect((await about.comeBack()).status).toBe(400);
    expect(await storedFor(about)).toEqual([]);
  });
});
