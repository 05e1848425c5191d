import { expect, it } from "vitest";
import type { ApiAnswer } from "#test/support/api-client.ts";
import { newDeployer, see, type Deployment } from "#test/support/deployer.ts";
import { otherSharedService } from "#test/support/shared-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const service = await otherSharedService("eager");

const SITE = { "index.html": "<h1>Hello</h1>" };
const NETLIFY = { provider: "netlify" };

async function newScene() {
  const deployer = await newDeployer(service);
  await deployer.connect("netlify");
  const project = await deployer.newProject(SITE);
  return { deployer, project };
}

const idsOf = ({ body }: ApiAnswer<Deployment[]>) => body.map(({ id }) => id);

it("the site of a deleted project is listed for who made it, who can take it down and do nothing else with it", async () => {
  const { deployer, project } = await newScene();
  const live = await deployer.succeeded(await deployer.deploy(project, NETLIFY));
  const bound = await service.newKey(deployer.token, project.id);
  const free = await service.newKey(deployer.token);
  expect((await deployer.call("DELETE", `/api/projects/${project.id}`)).status).toBe(200);
  const { status, body } = await deployer.call<Deployment[]>("GET", "/api/deployments");
  expect([status, body]).toEqual([200, [expect.objectContaining({ id: live.id, project_id: null })]]);
  expect((await see(service, live.deployment_url)).status).toBe(200);
  expect(await deployer.call("POST", `/api/deployments/${live.id}/redeploy`)).toMatchObject({
    status: 409,
    body: { detail: "The project was deleted: its deployments can only be taken down" },
  });
  expect((await deployer.call("GET", `/api/deployments/${live.id}/logs`)).status).toBe(200);

  const asKey = (token: string) => service.call<Deployment[]>("GET", "/api/deployments", { token });
  expect((await asKey(bound.key)).body).not.toContainEqual(expect.objectContaining({ id: live.id }));
  expect(idsOf(await asKey(free.key))).toEqual([live.id]);

  expect((await deployer.call("DELETE", `/api/deployments/${live.id}`)).status).toBe(204);
  await deployer.gone(live);
  expect((await see(service, live.deployment_url)).status).toBe(404);
});

it("a member of a team deploys with a credential of their own; once removed, they reach nothing, and others can take the site down", async () => {
  const { owner, join, asOwner } = await newTeamClient(service);
  const boss = await newDeployer(service, owner);
  const editor = await newDeployer(service, await join("editor"));
  const project = await boss.newProject(SITE);
  const without = await editor.call("POST", "/api/deployments", { project_id: project.id, ...NETLIFY });
  expect(without).toMatchObject({
    status: 400,
    body: { detail: "Connect your Netlify account first" },
  });
  await editor.connect("netlify");
  const live = await editor.succeeded(await editor.deploy(project, NETLIFY));
  expect(live).toMatchObject({ user_id: editor.id });
  expect((await boss.call("GET", `/api/deployments/${live.id}`)).body.status).toBe("success");
  expect((await boss.call<Deployment[]>("GET", "/api/deployments")).body).toEqual([]);

  const removed = await asOwner("DELETE", `/members/${editor.id}`);
  expect(removed.status).toBeLessThan(300);
  expect((await editor.call("DELETE", `/api/deployments/${live.id}`)).status).toBe(404);
  expect((await editor.call("GET", "/api/deployments")).body).toEqual([]);
  // The project's people still see it, and take it down with the credential that made it.
  const { body } = await boss.call<Deployment[]>("GET", `/api/deployments?project_id=${project.id}`);
  expect(body.map(({ id }) => id)).toEqual([live.id]);
  expect((await boss.call("DELETE", `/api/deployments/${live.id}`)).status).toBe(204);
  await boss.gone(live);
  expect((await see(service, live.deployment_url)).status).toBe(404);
});
