import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startService, type TestService } from "#test/support/service.ts";

/*
 * Failing calls of each provider, over the whole service and the stand-in. What each client makes of each answer is tested with
 * scripted servers; here, that neither a second site nor a second deployment is left, and that a deletion ends. By itself, one
 * project of each provider meets one failure of every kind. DEPLOYMENT_FAULTS=all fails each call that a provider is sent, in
 * every way, which takes about an hour.
 */

const PROVIDERS = ["netlify", "vercel", "cloudflare", "heroku"] as const;
type Provider = (typeof PROVIDERS)[number];
const IS_LONG = process.env["DEPLOYMENT_FAULTS"] === "all";
const TOKEN = "standin_faults";
/** Ends a wait that hangs, and nothing else. */
const PATIENCE = { timeout: 280_000, interval: 300 };

const WAYS = {
  "429": { status: 429, retry_after: 1 },
  "500": { status: 500 },
  garbage: { garbage: true },
  slow: { delay: 60_000 },
  lost: { lost: true },
} as const;
type Way = keyof typeof WAYS;

/** Failures of different stages: between two of them a deployment gets further. */
const ONE_OF_EACH: Readonly<Record<Provider, readonly (readonly [string, Way])[]>> = {
  netlify: [
    ["netlify POST sites", "lost"],
    ["netlify POST sites/{site}/deploys", "lost"],
    ["netlify GET deploys/{deploy}", "500"],
    ["netlify DELETE sites/{site}", "429"],
  ],
  vercel: [
    ["vercel POST v11/projects", "lost"],
    ["vercel POST v13/deployments", "garbage"],
    ["vercel GET v13/deployments/{id}", "429"],
    ["vercel DELETE v9/projects/{id}", "lost"],
  ],
  cloudflare: [
    ["cloudflare GET accounts/{account}/workers/subdomain", "garbage"],
    ["cloudflare PUT accounts/{account}/workers/scripts/{script}", "lost"],
    ["cloudflare DELETE accounts/{account}/workers/scripts/{script}", "500"],
  ],
  heroku: [
    ["heroku POST apps", "lost"],
    ["heroku POST apps/{app}/builds", "lost"],
    ["heroku GET apps/{app}/builds/{build}", "garbage"],
    ["heroku DELETE apps/{app}", "lost"],
  ],
};

interface DeploymentView {
  id: string;
  status: string;
  error: string | null;
}

interface SiteView {
  id: string;
  provider: string;
  name: string;
}

let service: TestService;
let token = "";
const hostingUrl = () => service.stack.hostingUrl ?? "";
const standin = async <T>(path: string, init?: RequestInit): Promise<T> =>
  (await fetch(`${hostingUrl()}${path}`, init)).json();
const call = <T = unknown>(method: string, path: string, json?: unknown) =>
  service.call<T>(method, path, { token, json });

beforeAll(async () => {
  service = await startService({ DEPLOYMENT_POLL_SECONDS: "1" });
  ({ token } = await service.signUp());
  const headers = { authorization: `Bearer ${TOKEN}` };
  const accounts = await standin<{ result: { id: string }[] }>("/cloudflare/client/v4/accounts", { headers });
  for (const provider of PROVIDERS) {
    const metadata = provider === "cloudflare" ? { account_id: accounts.result[0]?.id } : {};
    const made = await call("POST", "/api/deployment-credentials", {
      provider,
      access_token: TOKEN,
      metadata,
    });
    if (made.status !== 201) throw new Error(`Not connected: ${made.text}`);
  }
});
afterAll(() => service.close());

const setFaults = async (faults: readonly object[]) => {
  const response = await fetch(`${hostingUrl()}/_standin/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ faults }),
  });
  expect(response.status).toBe(200);
};

let made = 0;

/** A project with files, of which the name is part of its site's. */
async function newProject(provider: Provider): Promise<{ id: string; slug: string }> {
  made += 1;
  const project = await service.newProject(token, `f${made}-${provider}`);
  const files: Record<string, string> =
    provider === "heroku"
      ? { "package.json": '{"scripts":{"start":"node server.js"}}', "public/index.html": project.id }
      : { "index.html": project.id };
  for (const [name, content] of Object.entries(files))
    expect((await call("PUT", `/api/projects/${project.id}/files/${name}`, { content })).status).toBe(200);
  return project;
}

/** Deploys a project and takes it down again, whatever fails. */
async function deployAndDelete(provider: Provider, project: { id: string; slug: string }): Promise<string> {
  const wish = { project_id: project.id, provider, env_vars: { GREETING: "hello" } };
  const { status, body, text } = await call<DeploymentView>("POST", "/api/deployments", wish);
  expect([status, text]).toEqual([200, expect.any(String)]);
  const over = await vi.waitFor(async () => {
    const view = (await call<DeploymentView>("GET", `/api/deployments/${body.id}`)).body;
    expect(["success", "failed"]).toContain(view.status);
    return view;
  }, PATIENCE);
  const sites = async () =>
    (await standin<SiteView[]>("/_standin/sites")).filter(
      (site) => site.provider === provider && site.name.startsWith(`${project.slug}-`.slice(0, 12)),
    );
  const isPublished = over.status === "success";
  expect(over.error ?? "").toMatch(isPublished ? /^$/u : /^[A-Z].{10,}/u);
  const [site, ...others] = await sites();
  expect([site !== undefined || !isPublished, others]).toEqual([true, []]);
  const published = await standin<{ site: string }[]>("/_standin/deployments");
  // An upload to Cloudflare replaces itself.
  const most = provider === "cloudflare" ? 2 : 1;
  expect(published.filter((each) => each.site === site?.id).length).toBeLessThanOrEqual(most);
  expect((await call("DELETE", `/api/deployments/${body.id}`)).status).toBe(204);
  await vi.waitFor(
    async () => expect((await call("GET", `/api/deployments/${body.id}`)).status).toBe(404),
    PATIENCE,
  );
  expect(await sites()).toEqual([]);
  return over.status;
}

it("leaves one site and one deployment where each provider fails once in each stage", async () => {
  const projects = new Map<Provider, { id: string; slug: string }>();
  for (const provider of PROVIDERS) projects.set(provider, await newProject(provider));
  const faults = PROVIDERS.flatMap((provider) => ONE_OF_EACH[provider]);
  await setFaults(faults.map(([name, way]) => ({ call: name, ...WAYS[way] })));
  const ends = await Promise.all(
    [...projects].map(([provider, project]) => deployAndDelete(provider, project)),
  );
  expect(ends).toEqual(PROVIDERS.map(() => "success"));
  const { calls } = await standin<{ calls: { fault: boolean }[] }>("/_standin/calls");
  expect(calls.filter(({ fault }) => fault)).toHaveLength(faults.length);
});

it.each(IS_LONG ? PROVIDERS : [])(
  "leaves one site and one deployment where a call of %s fails, each in every way",
  async (provider) => {
    await setFaults([]);
    await fetch(`${hostingUrl()}/_standin/calls/clear`, { method: "POST" });
    expect(await deployAndDelete(provider, await newProject(provider))).toBe("success");
    const { counts } = await standin<{ counts: Record<string, number> }>("/_standin/calls");
    const ofProvider = Object.keys(counts).filter((each) => each.startsWith(`${provider} `));
    for (const name of ofProvider) {
      for (const [way, fault] of Object.entries(WAYS)) {
        const project = await newProject(provider);
        await setFaults([{ call: name, ...fault }]);
        const end = await deployAndDelete(provider, project);
        process.stderr.write(`${name}, ${way}: ${end}\n`);
      }
    }
  },
  3_600_000,
);
