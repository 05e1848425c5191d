import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startHosting } from "#local/hosting/index.ts";
import {
  newDeployer,
  PATIENCE,
  PROVIDERS,
  standinList,
  type Deployer,
  type Provider,
} from "#test/support/deployer.ts";
import { startGitServer, type GitServer } from "#test/support/git-server.ts";
import { startService, type TestService } from "#test/support/service.ts";
import type { SharedService } from "#test/support/shared-service.ts";

/** Providers that never finish. */
let slow: { url: string; close: () => Promise<void> };
const dataDir = mkdtempSync(path.join(tmpdir(), "slow-hosting-"));
let git: GitServer;
let started: TestService;
let service: SharedService;
beforeAll(async () => {
  git = await startGitServer();
  slow = await startHosting({
    dataDir,
    publicUrl: "http://service.test",
    log: () => {},
    pace: { queued: 100, building: 3_600_000 },
  });
  started = await startService({
    DEPLOYMENT_POLL_SECONDS: "1",
    OUTBOUND_ALLOW_PRIVATE: "true",
    VERCEL_API_BASE: `${slow.url}/vercel`,
    NETLIFY_API_BASE: `${slow.url}/netlify/api/v1`,
    CLOUDFLARE_API_BASE: `${slow.url}/cloudflare/client/v4`,
    HEROKU_API_BASE: `${slow.url}/heroku`,
    DIGITALOCEAN_API_BASE: `${slow.url}/digitalocean`,
  });
  service = { ...started, stack: { ...started.stack, hostingUrl: slow.url } };
});
afterAll(async () => {
  await Promise.all([started?.close(), git?.close()]);
  await slow?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function newScene(provider: Provider) {
  const deployer = await newDeployer(service);
  await deployer.connect(provider);
  const project = await deployer.newProject({});
  if (provider === "digitalocean")
    await deployer.clone(project, git.create(project.id, { "README.md": "# Site\n" }));
  await deployer.write(
    project,
    provider === "heroku"
      ? { "package.json": '{"scripts":{"start":"node ."}}', "public/index.html": "<h1>Hello</h1>" }
      : { "index.html": "<h1>Hello</h1>" },
  );
  return { deployer, project };
}

/** Waits until the provider works on a deployment, and has been asked for its state. */
const underWay = ({ call }: Deployer, { id }: { id: string }) =>
  vi.waitFor(async () => {
    const { body, text } = await call("GET", `/api/deployments/${id}`);
    if (body.status !== "deploying" || body.provider_status === null) throw new Error(text);
    return body;
  }, PATIENCE);

interface AtProvider {
  id: string;
  provider: string;
  phase: string;
}

const atProvider = async (provider: Provider) =>
  (await standinList<AtProvider[]>(service, "deployments")).filter((each) => each.provider === provider);

// A Worker is there as soon as it is uploaded.
const WAITING = PROVIDERS.filter((provider) => provider !== "cloudflare");

describe.each(WAITING)("a deployment that %s works on", (provider) => {
  it("is cancelled there, too, and can be deleted", async () => {
    const { deployer, project } = await newScene(provider);
    const begun = await deployer.deploy(project, { provider });
    await underWay(deployer, begun);
    const { status, body } = await deployer.call("POST", `/api/deployments/${begun.id}/cancel`);
    expect([status, body.id]).toEqual([200, begun.id]);
    const over = await deployer.ended(begun);
    expect(over).toMatchObject({ status: "cancelled", error: null, is_kept: false });
    expect((await atProvider(provider)).map(({ phase }) => phase)).toEqual(["canceled"]);
    expect((await deployer.call("DELETE", `/api/deployments/${begun.id}`)).status).toBe(204);
    await deployer.gone(begun);
    expect(
      (await standinList<{ provider: string }[]>(service, "sites")).filter(
        (site) => site.provider === provider,
      ),
    ).toEqual([]);
  });

  it("is cancelled and goes with its site when it is deleted, and the next one begins anew", async () => {
    const { deployer, project } = await newScene(provider);
    const begun = await deployer.deploy(project, { provider });
    await underWay(deployer, begun);
    const waiting = await deployer.deploy(project, { provider });
    expect((await deployer.call("DELETE", `/api/deployments/${begun.id}`)).status).toBe(204);
    await deployer.gone(begun);
    await underWay(deployer, waiting);
    const sites = await standinList<{ provider: string }[]>(service, "sites");
    expect(sites.filter((site) => site.provider === provider)).toHaveLength(1);
    expect((await deployer.call("DELETE", `/api/deployments/${waiting.id}`)).status).toBe(204);
    await deployer.gone(waiting);
    const left = await standinList<{ provider: string }[]>(service, "sites");
    expect(left.filter((site) => site.provider === provider)).toEqual([]);
  });
});

it("a deployment that waits for another one is cancelled at once", async () => {
  const { deployer, project } = await newScene("netlify");
  const begun = await deployer.deploy(project, { provider: "netlify" });
  await underWay(deployer, begun);
  const waiting = await deployer.deploy(project, { provider: "netlify" });
  await deployer.call("POST", `/api/deployments/${waiting.id}/cancel`);
  const over = await deployer.ended(waiting);
  expect(over.status).toBe("cancelled");
  expect((await deployer.call("GET", `/api/deployments/${begun.id}`)).body.status).toBe("deploying");
  await deployer.call("DELETE", `/api/deployments/${begun.id}`);
  await deployer.gone(begun);
});
