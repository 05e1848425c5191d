import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  newDeployer,
  PATIENCE,
  PROVIDERS,
  see,
  standinList,
  type Deployer,
  type Deployment,
  type Provider,
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

const page = (version: string) => `<!doctype html><h1>Version ${version}</h1>`;

/** A project as a provider takes it, with the path of its page. */
const SCENES: Readonly<Record<Provider, { files: (html: string) => Record<string, string>; mode: string }>> =
  {
    vercel: { files: (html) => ({ "index.html": html, "docs/a.html": "a" }), mode: "source" },
    netlify: { files: (html) => ({ "index.html": html, "docs/a.html": "a" }), mode: "pre-built" },
    cloudflare: { files: (html) => ({ "index.html": html, "docs/a.html": "a" }), mode: "pre-built" },
    heroku: {
      files: (html) => ({
        "package.json": '{"scripts":{"start":"node server.js"}}',
        "server.js": "console.log(1)",
        "public/index.html": html,
        "public/docs/a.html": "a",
      }),
      mode: "source",
    },
    digitalocean: { files: (html) => ({ "index.html": html, "docs/a.html": "a" }), mode: "source" },
  };

interface StandinSite {
  name: string;
  provider: string;
  url: string;
}

async function sitesAt(address: string): Promise<StandinSite[]> {
  const host = new URL(address).hostname;
  return (await standinList<StandinSite[]>(service, "sites")).filter(
    ({ url }) => new URL(url).hostname === host,
  );
}

/** A new person with a project, which has a remote where the provider fetches it. */
async function newScene(provider: Provider) {
  const deployer = await newDeployer(service);
  await deployer.connect(provider);
  const { files } = SCENES[provider];
  const project = await deployer.newProject({});
  const repository = `${provider}-${project.id}`;
  if (provider === "digitalocean")
    await deployer.clone(project, git.create(repository, { "README.md": "# Site\n" }));
  const put = (version: string) => deployer.write(project, files(page(version)));
  const deploy = async (fields: object = {}) =>
    deployer.succeeded(await deployer.deploy(project, { provider, ...fields }));
  return { deployer, project, repository, put, deploy };
}

const remove = ({ call }: Deployer, { id }: { id: string }) => call("DELETE", `/api/deployments/${id}`);

describe.each(PROVIDERS)("a site at %s", (provider) => {
  it("is published, changed at the same address, brought back, and taken down", async () => {
    const { deployer, project, repository, put, deploy } = await newScene(provider);
    await put("one");
    const begun = await deployer.deploy(project, { provider });
    expect(begun).toMatchObject({
      project_id: project.id,
      provider,
      deployment_mode: SCENES[provider].mode,
      version: 1,
      status: expect.stringMatching(/^(pending|building)$/u),
      deployment_url: null,
      error: null,
    });
    const first = await deployer.succeeded(begun);
    expect(first).toMatchObject({ status: "success", is_kept: true, error: null });
    expect(await see(service, first.deployment_url)).toEqual({ status: 200, body: page("one") });
    expect(await see(service, first.deployment_url, "/docs/a.html")).toEqual({ status: 200, body: "a" });

    await put("two");
    const second = await deploy();
    expect(second).toMatchObject({ version: 2, deployment_url: first.deployment_url, redeploy_of: null });
    expect(await see(service, first.deployment_url)).toEqual({ status: 200, body: page("two") });
    const isFetched = provider === "digitalocean";
    const pushed = isFetched ? git.log(repository, "main") : [];
    expect(pushed).toHaveLength(isFetched ? 3 : 0);
    expect(second.commit_sha).toBe(isFetched ? git.git(repository, ["rev-parse", "main"]) : null);

    await put("never published");
    const { body: back, status } = await deployer.call("POST", `/api/deployments/${first.id}/redeploy`);
    expect([status, back]).toEqual([200, expect.objectContaining({ version: 3, redeploy_of: first.id })]);
    const third = await deployer.succeeded(back);
    expect(third.deployment_url).toBe(first.deployment_url);
    expect(await see(service, first.deployment_url)).toEqual({ status: 200, body: page("one") });
    expect(await sitesAt(first.deployment_url)).toHaveLength(1);

    // One that nobody sees goes alone.
    expect((await remove(deployer, second)).status).toBe(204);
    await deployer.gone(second);
    expect((await see(service, first.deployment_url)).status).toBe(200);

    expect(await remove(deployer, third)).toMatchObject({ status: 204, text: "" });
    await deployer.gone(third);
    expect((await see(service, first.deployment_url)).status).toBe(404);
    expect(await sitesAt(first.deployment_url)).toEqual([]);
    expect(await remove(deployer, third)).toMatchObject({
      status: 404,
      body: { detail: "Deployment not found" },
    });
    const { body: left } = await deployer.call<Deployment[]>("GET", "/api/deployments");
    expect(left.map(({ id }) => id)).toEqual([first.id]);
    expect((await remove(deployer, first)).status).toBe(204);
    await deployer.gone(first);
  });

  it("is cancelled while it waits for the provider, and can be published afterwards", async () => {
    const { deployer, project, put, deploy } = await newScene(provider);
    await put("one");
    const begun = await deployer.deploy(project, { provider });
    const cancelled = await deployer.call("POST", `/api/deployments/${begun.id}/cancel`);
    expect(cancelled.status).toBe(200);
    const over = await deployer.ended(begun);
    // The provider decides whether it was in time.
    expect(["cancelled", "success"]).toContain(over.status);
    expect(await deployer.call("POST", `/api/deployments/${begun.id}/cancel`)).toMatchObject({
      status: 409,
      body: { detail: "The deployment is over already" },
    });
    const next = await deploy();
    expect(next.version).toBe(2);
    expect((await see(service, next.deployment_url)).body).toBe(page("one"));
  });
});

it("deployments of one site run one after another, and the last one is seen", async () => {
  const { deployer, project, put } = await newScene("netlify");
  await put("one");
  const begun = await Promise.all(
    Array.from({ length: 3 }, () => deployer.deploy(project, { provider: "netlify" })),
  );
  expect(begun.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
  await put("two");
  const over = await Promise.all(begun.map((each) => deployer.succeeded(each)));
  expect(new Set(over.map(({ deployment_url }) => deployment_url)).size).toBe(1);
  const url = over[0]?.deployment_url ?? "";
  await vi.waitFor(async () => expect((await see(service, url)).status).toBe(200), PATIENCE);
  expect(await sitesAt(url)).toHaveLength(1);
});
