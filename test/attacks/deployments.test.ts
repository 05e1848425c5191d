import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { sql } from "drizzle-orm";
import { askProvider, newDeployer, type Deployer } from "#test/support/deployer.ts";
import { databaseOf } from "#test/support/database.ts";
import { otherSharedService } from "#test/support/shared-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const service = await otherSharedService("eager");

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

const TABLES = ["deployments", "deployment_sites", "deployment_credentials", "deployment_logs", "audit_log"];

/** Tables in which a row contains these words in the clear. */
async function rowsWith(words: string): Promise<string[]> {
  const found = TABLES.map(async (table) => {
    const rows = sql`SELECT 1 FROM ${sql.identifier(table)} AS r WHERE r::text LIKE ${`%${words}%`} LIMIT 1`;
    return (await databaseOf(service).execute(rows)).rows.map(() => table);
  });
  return (await Promise.all(found)).flat();
}

it("variables of the service's own are not sent with a container's", async () => {
  const deployer = await newDeployer(service);
  await deployer.connect("netlify");
  const project = await deployer.newProject(PAGE);
  const env_vars = { SHOWN: "shown-1", _WORKSPACE_REPO_URL: "https://token@git.invalid" };
  const made = await deployer.call<{ container: { id: string } }>(
    "POST",
    `/api/projects/${project.id}/containers`,
    { name: "web", directory: ".", env_vars },
  );
  await deployer.write(project, { "web/index.html": "<h1>Page</h1>" });
  const wish = { ...NETLIFY, container_id: made.body.container.id, include_container_env: true };
  await deployer.succeeded(await deployer.deploy(project, wish));
  const sent = await variablesAt(deployer);
  expect(sent).toContain("SHOWN");
  expect(sent).not.toContain("_WORKSPACE_");
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

it("a key of certain projects reaches a deployment no more once its project is deleted", async () => {
  const deployer = await newDeployer(service);
  await deployer.connect("netlify");
  const project = await deployer.newProject(PAGE);
  const live = await deployer.succeeded(await deployer.deploy(project, NETLIFY));
  const { key } = await service.newKey(deployer.token, project.id);
  const status = async () =>
    (await service.call("GET", `/api/deployments/${live.id}`, { token: key })).status;
  expect(await status()).toBe(200);
  await deployer.call("DELETE", `/api/projects/${project.id}`);
  expect(await status()).toBe(404);
});

it("the open stream of a deployment ends for a member who was removed", async () => {
  const { owner, join, asOwner } = await newTeamClient(service);
  const person = await newDeployer(service, owner);
  const member = await join("editor");
  await person.connect("netlify");
  const project = await person.newProject(PAGE);
  // It runs for as long as its build, which the removal does not wait for.
  const long = await person.deploy(project, { ...NETLIFY, build_command: "sleep 600" });
  const stream = await fetch(`${service.url}/api/deployments/${long.id}/stream`, {
    headers: { authorization: `Bearer ${member.token}` },
  });
  expect(stream.status).toBe(200);
  expect((await asOwner("DELETE", `/members/${member.id}`)).status).toBeLessThan(300);
  expect(await stream.text()).not.toContain("event: done");
  await person.call("POST", `/api/deployments/${long.id}/cancel`);
  await person.ended(long);
});
