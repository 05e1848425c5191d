import { afterAll, describe, expect, it } from "vitest";
import {
  askProvider,
  newDeployer,
  PROVIDERS,
  see,
  standinList,
  type Deployer,
  type Deployment,
  type Provider,
} from "#test/support/deployer.ts";
import { startGitServer } from "#test/support/git-server.ts";
import { otherSharedService } from "#test/support/shared-service.ts";
import { UNTIL_GO } from "#test/support/task-client.ts";

const git = await startGitServer();
const service = await otherSharedService("eager");
afterAll(() => git.close());

const page = (version: string) => `<!doctype html><h1>Version ${version}</h1>`;

const SITE = (html: string): Record<string, string> => ({ "index.html": html, "docs/a.html": "a" });
const PROGRAM = (html: string): Record<string, string> => ({
  "package.json": '{"scripts":{"start":"node server.js"}}',
  "server.js": "console.log(1)",
  "public/index.html": html,
  "public/docs/a.html": "a",
});
const MODES: Readonly<Record<Provider, string>> = {
  vercel: "source",
  netlify: "pre-built",
  cloudflare: "pre-built",
  heroku: "source",
  digitalocean: "source",
};

async function sitesAt(address: string): Promise<{ url: string }[]> {
  const host = new URL(address).hostname;
  const sites = await standinList<{ url: string }[]>(service, "sites");
  return sites.filter(({ url }) => new URL(url).hostname === host);
}

/** A new person with a project, which has a remote where the provider fetches it. */
async function newScene(provider: Provider) {
  const deployer = await newDeployer(service);
  await deployer.connect(provider);
  const project = await deployer.newProject({});
  const repository = `${provider}-${project.id}`;
  if (provider === "digitalocean")
    await deployer.clone(project, git.create(repository, { "README.md": "# Site\n" }));
  const files = provider === "heroku" ? PROGRAM : SITE;
  const put = (version: string) => deployer.write(project, files(page(version)));
  const deploy = async (fields: object = {}) =>
    deployer.succeeded(await deployer.deploy(project, { provider, ...fields }));
  return { deployer, project, repository, put, deploy };
}

/** The variables of the only site of an account at Netlify. */
async function variablesAt({ hostingToken }: Deployer): Promise<Record<string, unknown>> {
  const ask = <T>(path: string) => askProvider<T>(service, hostingToken, `/netlify/api/v1${path}`);
  const [site] = await ask<{ id: string; account_slug: string }[]>("/sites");
  const found = await ask<{ key: string; values: { value: string }[] }[]>(
    `/accounts/${site?.account_slug}/env?site_id=${site?.id}`,
  );
  return Object.fromEntries(found.map(({ key, values }) => [key, values[0]?.value]));
}

const remove = ({ call }: Deployer, { id }: Deployment) => call("DELETE", `/api/deployments/${id}`);

describe.each(PROVIDERS)("a project at %s", (provider) => {
  it("is published, changed at the same address, brought back, and taken down", async () => {
    const { deployer, project, repository, put, deploy } = await newScene(provider);
    await put("one");
    const begun = await deployer.deploy(project, { provider });
    expect(begun).toMatchObject({
      project_id: project.id,
      provider,
      deployment_mode: MODES[provider],
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
    const { body: left } = await deployer.call<Deployment[]>("GET", "/api/deployments");
    expect(left.map(({ id }) => id)).toEqual([first.id]);
  });
});

it("a deployment that is cancelled ends while it is built or waits for its turn, and the next one is published", async () => {
  const { deployer, project, put, deploy } = await newScene("netlify");
  await put("one");
  const cancel = ({ id }: Deployment) => deployer.call("POST", `/api/deployments/${id}/cancel`);
  const building = await deployer.deploy(project, { provider: "netlify", build_command: UNTIL_GO });
  const waiting = await deployer.deploy(project, { provider: "netlify" });
  for (const each of [waiting, building]) {
    expect(await cancel(each)).toMatchObject({ status: 200, body: { id: each.id } });
    const over = await deployer.ended(each);
    expect(over).toMatchObject({ status: "cancelled", error: null, is_kept: false });
  }
  expect(await cancel(building)).toMatchObject({
    status: 409,
    body: { detail: "The deployment is over already" },
  });
  const next = await deploy();
  expect(next.version).toBe(3);
  expect((await see(service, next.deployment_url)).body).toBe(page("one"));
});

it("the variables of a container go with a deployment that asks for them, the request's before them, and stay out of its log", async () => {
  const { deployer, project, put, deploy } = await newScene("netlify");
  await put("one");
  const environment_vars = { SHARED: "of-container", OWN: "own-of-container" };
  const { body } = await deployer.call<{ container: { id: string } }>(
    "POST",
    `/api/projects/${project.id}/containers`,
    { name: "web", directory: ".", environment_vars },
  );
  const env_vars = { GREETING: "hello-of-request", SHARED: "of-request" };
  const fields = { container_id: body.container.id, env_vars };
  await deploy(fields);
  expect(await variablesAt(deployer)).toEqual(env_vars);
  const both = await deploy({
    ...fields,
    include_container_env: true,
    build_command: 'mkdir -p dist && echo "saying $OWN" && cp index.html dist/',
  });
  expect(await variablesAt(deployer)).toEqual({ ...env_vars, OWN: "own-of-container" });
  expect(both.logs?.join("\n")).toContain("saying ***");
  expect(JSON.stringify(both)).not.toContain("own-of-container");
});
