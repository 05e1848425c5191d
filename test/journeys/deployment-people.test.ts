import { beforeAll, describe, expect, it } from "vitest";
import type { ApiAnswer } from "#test/support/api-client.ts";
import { newDeployer, see, type Answered, type Deployment } from "#test/support/deployer.ts";
import { otherSharedService, type SharedService } from "#test/support/shared-service.ts";
import { UNTIL_GO } from "#test/support/task-client.ts";
import { newTeamClient } from "#test/support/team-client.ts";

let service: SharedService;
beforeAll(async () => {
  service = await otherSharedService("eager");
});

const SITE = { "index.html": "<h1>Hello</h1>" };
const NETLIFY = { provider: "netlify" };

async function newScene() {
  const deployer = await newDeployer(service);
  await deployer.connect("netlify");
  const project = await deployer.newProject(SITE);
  return { deployer, project };
}

const idsOf = ({ body }: ApiAnswer<Deployment[]>) => body.map(({ id }) => id);

describe("the site of a deleted project", () => {
  it("is listed for who made it, who can take it down and do nothing else with it", async () => {
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

    const stranger = await newDeployer(service);
    expect((await stranger.call("GET", `/api/deployments/${live.id}`)).status).toBe(404);
    expect((await stranger.call("DELETE", `/api/deployments/${live.id}`)).status).toBe(404);
    const asKey = (token: string) => service.call<Deployment[]>("GET", "/api/deployments", { token });
    expect((await asKey(bound.key)).body).not.toContainEqual(expect.objectContaining({ id: live.id }));
    expect(idsOf(await asKey(free.key))).toEqual([live.id]);

    expect((await deployer.call("DELETE", `/api/deployments/${live.id}`)).status).toBe(204);
    await deployer.gone(live);
    expect((await see(service, live.deployment_url)).status).toBe(404);
  });

  it("is not made by a deployment that was under way", async () => {
    const { deployer, project } = await newScene();
    const begun = await deployer.deploy(project, { ...NETLIFY, build_command: UNTIL_GO });
    await deployer.call("DELETE", `/api/projects/${project.id}`);
    const over = await deployer.ended(begun);
    expect(over).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/./u),
      deployment_url: null,
    });
    expect((await deployer.call("DELETE", `/api/deployments/${begun.id}`)).status).toBe(204);
    await deployer.gone(begun);
  });
});

describe("a key", () => {
  it("deploys with its owner's credentials, and reaches its own project alone", async () => {
    const { deployer, project } = await newScene();
    const other = await deployer.newProject(SITE);
    const theirs = await deployer.succeeded(await deployer.deploy(other, NETLIFY));
    const { key } = await service.newKey(deployer.token, project.id);
    const call = <T = Answered>(method: string, path: string, json?: object) =>
      service.call<T>(method, path, { token: key, json });
    const begun = await call("POST", "/api/deployments", { project_id: project.id, ...NETLIFY });
    expect(begun).toMatchObject({ status: 200, body: { user_id: deployer.id, version: 1 } });
    const over = await deployer.succeeded(begun.body);
    expect((await see(service, over.deployment_url)).status).toBe(200);
    expect(idsOf(await call<Deployment[]>("GET", "/api/deployments"))).toEqual([over.id]);
    const refused = [
      await call("POST", "/api/deployments", { project_id: other.id, ...NETLIFY }),
      await call("GET", `/api/deployments/${theirs.id}`),
      await call("DELETE", `/api/deployments/${theirs.id}`),
      await call("GET", `/api/deployments?project_id=${other.id}`),
    ];
    for (const { status, body } of refused) {
      expect([403, 404]).toContain(status);
      expect(body.detail).toEqual(expect.any(String));
    }
    expect((await call("DELETE", `/api/deployments/${over.id}`)).status).toBe(204);
    await deployer.gone(over);
  });
});

describe("a member of a team", () => {
  it("deploys with a credential of their own; once removed, they reach nothing, and others can take the site down", async () => {
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
    for (const [method, path] of [
      ["GET", `/api/deployments/${live.id}`],
      ["POST", `/api/deployments/${live.id}/redeploy`],
      ["DELETE", `/api/deployments/${live.id}`],
      ["GET", `/api/deployments?project_id=${project.id}`],
    ] as const)
      expect([method, path, (await editor.call(method, path)).status]).toEqual([method, path, 404]);
    expect((await editor.call("GET", "/api/deployments")).body).toEqual([]);
    // The project's people still see it, and take it down with the credential that made it.
    const { body } = await boss.call<Deployment[]>("GET", `/api/deployments?project_id=${project.id}`);
    expect(body.map(({ id }) => id)).toEqual([live.id]);
    expect((await boss.call("DELETE", `/api/deployments/${live.id}`)).status).toBe(204);
    await boss.gone(live);
    expect((await see(service, live.deployment_url)).status).toBe(404);
  });

  it("who is removed while a deployment waits publishes nothing any more", async () => {
    const { owner, join, asOwner } = await newTeamClient(service);
    const boss = await newDeployer(service, owner);
    const editor = await newDeployer(service, await join("editor"));
    const project = await boss.newProject(SITE);
    await boss.connect("netlify");
    await editor.connect("netlify");
    const first = await boss.deploy(project, { ...NETLIFY, build_command: UNTIL_GO });
    const waiting = await editor.deploy(project, NETLIFY);
    expect((await asOwner("DELETE", `/members/${editor.id}`)).status).toBeLessThan(300);
    await boss.write(project, { "go.txt": "" });
    await boss.succeeded(first);
    const over = await boss.ended(waiting);
    expect(over).toMatchObject({
      status: "failed",
      error: "The person who requested the deployment may no longer deploy this project",
      deployment_url: null,
    });
  });
});
