import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { sql } from "drizzle-orm";
import { askProvider, newDeployer, see, standinList, type Deployer } from "#test/support/deployer.ts";
import { databaseOf } from "#test/support/database.ts";
import { otherSharedService, type SharedService } from "#test/support/shared-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";

let service: SharedService;
beforeAll(async () => {
  service = await otherSharedService("eager");
});

const PAGE = { "index.html": "<h1>Page</h1>" };
const NETLIFY = { provider: "netlify" };

/** The variables of an account at Netlify, as it shows them to the owner of the token. */
async function variablesAt({ hostingToken }: Deployer): Promise<string> {
  const at = "/netlify/api/v1";
  const [account] = await askProvider<{ slug: string }[]>(service, hostingToken, `${at}/accounts`);
  const sites = await askProvider<{ id: string }[]>(service, hostingToken, `${at}/sites`);
  const env = sites.map(({ id }) =>
    askProvider<unknown>(service, hostingToken, `${at}/accounts/${account?.slug}/env?site_id=${id}`),
  );
  return JSON.stringify(await Promise.all(env));
}

const CALLS: readonly [method: string, rest: string][] = [
  ["GET", ""],
  ["GET", "/stream"],
  ["POST", "/cancel"],
  ["POST", "/redeploy"],
  ["DELETE", ""],
];

const TABLES = ["deployments", "deployment_sites", "deployment_credentials", "deployment_logs", "audit_log"];

/** Tables in which a row contains these words in the clear. */
async function rowsWith(words: string): Promise<string[]> {
  const found = TABLES.map(async (table) => {
    const rows = sql`SELECT 1 FROM ${sql.identifier(table)} AS r WHERE r::text LIKE ${`%${words}%`} LIMIT 1`;
    return (await databaseOf(service).execute(rows)).rows.map(() => table);
  });
  return (await Promise.all(found)).flat();
}

describe("variables of the service's own", () => {
  it.each(["_WORKSPACE_REPO_URL", "_WORKSPACE_"])("are not set by a request: %s", async (name) => {
    const deployer = await newDeployer(service);
    await deployer.connect("netlify");
    const { id } = await deployer.newProject(PAGE);
    const wish = { project_id: id, ...NETLIFY, env_vars: { [name]: "https://token@git.invalid" } };
    const { status, body } = await deployer.call("POST", "/api/deployments", wish);
    expect([status, body.detail]).toEqual([400, expect.stringContaining("_WORKSPACE_")]);
  });

  it("are not sent with a container's", async () => {
    const deployer = await newDeployer(service);
    await deployer.connect("netlify");
    const project = await deployer.newProject(PAGE);
    const env_vars = { SHOWN: "shown-1", _WORKSPACE_REPO_URL: "https://token@git.invalid" };
    const made = await deployer.call<{ container: { id: string } }>(
      "POST",
      `/api/projects/${project.id}/containers`,
      { name: "web", directory: ".", env_vars },
    );
    const container_id = made.body.container.id;
    const wish = { ...NETLIFY, container_id, include_container_env: true };
    await deployer.write(project, { "web/index.html": "<h1>Page</h1>" });
    await deployer.succeeded(await deployer.deploy(project, wish));
    const sent = await variablesAt(deployer);
    expect(sent).toContain("SHOWN");
    expect(sent).not.toContain("_WORKSPACE_");
  });
});

it("a project's secrets are not among the files that are published", async () => {
  const deployer = await newDeployer(service);
  await deployer.connect("netlify");
  const secret = "canary-of-a-file";
  const project = await deployer.newProject({
    ...PAGE,
    ".well-known/security.txt": "Contact: mailto:a@example.com",
    ".env": secret,
    ".env.production": secret,
    "docs/.env.local": secret,
    ".npmrc": `//registry.npmjs.org/:_authToken=${secret}`,
    ".ssh/id_ed25519": secret,
    "node_modules/a/index.js": secret,
  });
  const init = await deployer.call("POST", `/api/projects/${project.id}/git/init`, {});
  expect(init.status).toBe(200);
  const live = await deployer.succeeded(await deployer.deploy(project, NETLIFY));
  const statusAt = async (at: string) => (await see(service, live.deployment_url, at)).status;
  expect(await statusAt("/")).toBe(200);
  expect(await statusAt("/.well-known/security.txt")).toBe(200);
  for (const at of ["/.env", "/.npmrc", "/.git/HEAD", "/.git/config", "/docs/.env.local"])
    expect([at, await statusAt(at)]).toEqual([at, 404]);
  const published = await standinList<{ id: string; files: number }[]>(service, "deployments");
  expect(published.find(({ id }) => id === live.deployment_id)?.files).toBe(2);
});

it("a token and a variable are in no answer, log or plain column", async () => {
  const canary = `canary${crypto.randomUUID().replaceAll("-", "")}`;
  const deployer = await newDeployer(service);
  const token = `standin_${canary}`;
  await deployer.connect("netlify", undefined, token);
  const project = await deployer.newProject(PAGE);
  const env_vars = { CANARY: `value-of-${canary}` };
  const wish = { project_id: project.id, ...NETLIFY, env_vars, build_command: "echo $CANARY; exit 0" };
  const begun = await deployer.call("POST", "/api/deployments", wish);
  const live = await deployer.succeeded(begun.body);
  const bad = await deployer.call("POST", "/api/deployments", {
    ...wish,
    build_command: "echo $CANARY; exit 3",
  });
  const failed = await deployer.ended(bad.body);
  expect([failed.status, failed.logs?.join()]).toEqual(["failed", expect.stringContaining("***")]);
  const answers = await Promise.all(
    [live.id, failed.id].flatMap((id) =>
      ["", "/status", "/logs", "/stream"].map((rest) =>
        deployer.call("GET", `/api/deployments/${id}${rest}`),
      ),
    ),
  );
  const lists = await Promise.all(
    ["/api/deployments", "/api/deployment-credentials", `/api/projects/${project.id}`].map((path) =>
      deployer.call("GET", path),
    ),
  );
  const told = [begun, bad, ...answers, ...lists].map(({ text }) => text).join("\n");
  expect(told).not.toContain(canary);
  expect(await readFile(service.stack.logFile, "utf8")).not.toContain(canary);
  expect(await rowsWith(canary)).toEqual([]);
});

describe("a deployment", () => {
  it("is out of reach for a key of another project", async () => {
    const deployer = await newDeployer(service);
    await deployer.connect("netlify");
    const project = await deployer.newProject(PAGE);
    const live = await deployer.succeeded(await deployer.deploy(project, NETLIFY));
    const { id: other } = await service.newProject(deployer.token);
    const { key } = await service.newKey(deployer.token, other);
    for (const [method, rest] of CALLS) {
      const { status } = await service.call(method, `/api/deployments/${live.id}${rest}`, { token: key });
      expect([method, rest, status]).toEqual([method, rest, 403]);
    }
    const json = { project_id: project.id, ...NETLIFY };
    expect((await service.call("POST", "/api/deployments", { token: key, json })).status).toBe(403);
    const { body } = await service.call("GET", "/api/deployments", { token: key });
    expect(body).toEqual([]);
    // Once the project is deleted, a key of certain projects reaches its deployments no more.
    await deployer.call("DELETE", `/api/projects/${project.id}`);
    const gone = await service.call("GET", `/api/deployments/${live.id}`, { token: key });
    expect(gone.status).toBe(404);
  });

  it("is out of reach for a member who was removed, and an open stream ends", async () => {
    const { owner, join, asOwner } = await newTeamClient(service);
    const [person, member] = [
      await newDeployer(service, owner),
      await newDeployer(service, await join("editor")),
    ];
    for (const each of [person, member]) await each.connect("netlify");
    const project = await person.newProject(PAGE);
    const live = await member.succeeded(await member.deploy(project, NETLIFY));
    // It runs for as long as its build, which the removal does not wait for.
    const long = await person.deploy(project, { ...NETLIFY, build_command: "sleep 60" });
    const stream = await fetch(`${service.url}/api/deployments/${long.id}/stream`, {
      headers: { authorization: `Bearer ${member.token}` },
    });
    expect(stream.status).toBe(200);
    const removed = await asOwner("DELETE", `/members/${member.id}`);
    expect(removed.status).toBeLessThan(300);
    expect(await stream.text()).not.toContain("event: done");
    for (const [method, rest] of CALLS) {
      const { status } = await member.call(method, `/api/deployments/${live.id}${rest}`);
      expect([method, rest, status]).toEqual([method, rest, 404]);
    }
    expect((await member.call("GET", "/api/deployments")).body).toEqual([]);
    await person.call("POST", `/api/deployments/${long.id}/cancel`);
    await person.ended(long);
  });
});
