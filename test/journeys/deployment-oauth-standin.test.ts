import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { deploymentCredentials } from "#src/db/schema/index.ts";
import { browser } from "#test/support/browser.ts";
import { CHROMIUM, startChromium } from "#test/support/chromium.ts";
import { databaseOf } from "#test/support/database.ts";
import {
  newDeployer,
  PATIENCE,
  see,
  standinList,
  tellStandin,
  type Deployer,
} from "#test/support/deployer.ts";
import { startGitServer, type GitServer } from "#test/support/git-server.ts";
import { startService, type TestService } from "#test/support/service.ts";

let git: GitServer;
let service: TestService;
beforeAll(async () => {
  git = await startGitServer();
  service = await startService({ DEPLOYMENT_POLL_SECONDS: "1", OUTBOUND_ALLOW_PRIVATE: "true" });
});
afterAll(() => Promise.all([service?.close(), git?.close()]));

const OAUTH = "/api/deployment-oauth";
type OAuthProvider = "vercel" | "netlify" | "heroku" | "digitalocean";

interface Credential {
  id: string;
  provider: string;
  auth_type: string;
  metadata: Record<string, string> | null;
}

const credentialsOf = async ({ call }: Deployer) =>
  (await call<{ credentials: Credential[] }>("GET", "/api/deployment-credentials")).body.credentials;

if (CHROMIUM === undefined) {
  process.stderr.write("No Chromium in the PATH: hosting accounts are not connected in a browser.\n");
}

/** Signs in, in a browser of their own, and goes to the provider's page and back. */
async function connectByOAuth(
  deployer: Deployer,
  provider: OAuthProvider,
  { decision = "allow", account = deployer.username }: { decision?: string; account?: string } = {},
) {
  const who = browser(service);
  const { body: session } = await who.call<{ access_token: string }>("POST", "/api/auth/login", {
    json: { email: deployer.email, password: deployer.password },
  });
  const begun = await who.call<{ auth_url: string }>("GET", `${OAUTH}/${provider}/authorize`, {
    token: session.access_token,
  });
  expect([begun.status, begun.status === 200 ? "" : begun.text]).toEqual([200, ""]);
  const { auth_url: url } = begun.body;
  expect(new URL(url).origin).toBe(new URL(service.stack.hostingUrl ?? "").origin);
  const page = await fetch(url);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("wants to publish")]);
  const agreed = await fetch(url, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ decision, account }),
    headers: { origin: new URL(url).origin },
  });
  const back = new URL(agreed.headers.get("location") ?? "");
  expect(back.origin + back.pathname).toBe(`${service.url}${OAUTH}/${provider}/callback`);
  return who.call("GET", back.pathname + back.search);
}

/** Publishes a project that suits the provider, and reads its page. */
async function publish(deployer: Deployer, provider: OAuthProvider) {
  const project = await deployer.newProject({});
  if (provider === "digitalocean")
    await deployer.clone(project, git.create(project.id, { "README.md": "# Site\n" }));
  const html = `<h1>By OAuth at ${provider}</h1>`;
  await deployer.write(
    project,
    provider === "heroku"
      ? { "package.json": '{"scripts":{"start":"node ."}}', "public/index.html": html }
      : { "index.html": html },
  );
  const live = await deployer.succeeded(await deployer.deploy(project, { provider }));
  expect(await see(service, live.deployment_url)).toEqual({ status: 200, body: html });
  return { project, live };
}

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  let chromium: Awaited<ReturnType<typeof startChromium>>;
  beforeAll(async () => {
    chromium = await startChromium();
  });
  afterAll(() => chromium.close());

  it("a person allows it, their window closes, and the account is published to", async () => {
    const deployer = await newDeployer(service);
    const tab = await chromium.newTab();
    await tab.go(`${service.url}/login`);
    const sent = JSON.stringify({ email: deployer.email, password: deployer.password });
    const login = { method: "POST", headers: { "content-type": "application/json" }, body: sent };
    const url = await tab.read(`(async () => {
      const session = await (await fetch("/api/auth/login", ${JSON.stringify(login)})).json();
      const headers = { authorization: "Bearer " + session.access_token };
      return (await (await fetch("${OAUTH}/vercel/authorize", { headers })).json()).auth_url;
    })()`);
    await tab.go(String(url));
    await tab.type('input[name="account"]', deployer.username);
    await tab.click('button[value="allow"]');
    await vi.waitFor(
      async () =>
        expect(await credentialsOf(deployer)).toMatchObject([{ provider: "vercel", auth_type: "oauth" }]),
      PATIENCE,
    );
    expect(tab.complaints).toEqual([]);
    await publish(deployer, "vercel");
  });
});

describe.each(["vercel", "netlify", "heroku", "digitalocean"] as const)("an account at %s", (provider) => {
  it("is connected by OAuth, tested, published to, and forgotten", async () => {
    const deployer = await newDeployer(service);
    const denied = await connectByOAuth(deployer, provider, { decision: "deny" });
    expect([denied.status, denied.text]).toEqual([200, expect.stringContaining("was not connected")]);
    expect(await credentialsOf(deployer)).toEqual([]);

    const { status, text } = await connectByOAuth(deployer, provider);
    expect([status, text]).toEqual([200, expect.stringContaining("is connected")]);
    const [credential] = await credentialsOf(deployer);
    expect(credential).toMatchObject({ provider, auth_type: "oauth" });
    const tested = await deployer.call("POST", `/api/deployment-credentials/test/${credential?.id}`);
    expect(tested.body).toMatchObject({ valid: true });
    const { project, live } = await publish(deployer, provider);

    // The same account, connected once more, has the same site.
    await connectByOAuth(deployer, provider);
    const again = await deployer.succeeded(await deployer.deploy(project, { provider }));
    expect(again).toMatchObject({ version: 2, deployment_url: live.deployment_url });
    // Another account never touches it.
    await connectByOAuth(deployer, provider, { account: `${deployer.username}-other` });
    const back = await deployer.call("POST", `/api/deployments/${live.id}/redeploy`);
    expect([back.status, back.body.detail]).toEqual([409, expect.stringContaining("not connected to")]);
    expect(await credentialsOf(deployer)).toHaveLength(1);
    const [now] = await credentialsOf(deployer);
    expect((await deployer.call("DELETE", `/api/deployment-credentials/${now?.id}`)).status).toBe(204);
    const without = await deployer.call("POST", "/api/deployments", { project_id: project.id, provider });
    expect([without.status, without.body.detail]).toEqual([400, expect.stringMatching(/^Connect your /u)]);
  });
});

describe.each(["heroku", "digitalocean"] as const)("a token of %s that has expired", (provider) => {
  it("is refreshed by one of those who need it at once", async () => {
    const deployer = await newDeployer(service);
    await connectByOAuth(deployer, provider);
    const { project } = await publish(deployer, provider);
    await tellStandin(service, "tokens/expire", { provider });
    await databaseOf(service)
      .update(deploymentCredentials)
      .set({ expiresAt: new Date(Date.now() - 1000) })
      .where(eq(deploymentCredentials.userId, deployer.id));
    await tellStandin(service, "calls/clear");
    const [credential] = await credentialsOf(deployer);
    const test = () => deployer.call("POST", `/api/deployment-credentials/test/${credential?.id}`);
    const answers = await Promise.all([test(), test(), test(), test(), test()]);
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      answers.map(() => [200, expect.objectContaining({ valid: true })]),
    );
    const { counts } = await standinList<{ counts: Record<string, number> }>(service, "calls");
    const grants = Object.entries(counts).filter(([call]) => call.endsWith("oauth/token"));
    expect(grants.map(([, count]) => count)).toEqual([1]);
    await deployer.succeeded(await deployer.deploy(project, { provider }));
  });
});
