import type { api } from "@agent-workspace/client";
import { expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

interface MadeProject extends api.Project {
  project: api.Project;
}

it("a project is announced under the names of both client families and usable at once, changed part by part, and deleted once", async () => {
  const { token, id: userId } = await service.signUp();
  const json = { name: "My App", description: "what it is", source_type: "empty" };
  const made = await service.call<MadeProject>("POST", "/api/projects/", {
    token,
    json,
  });
  expect(made).toMatchObject({
    status: 200,
    body: {
      id: expect.stringMatching(UUID),
      name: "My App",
      slug: expect.stringMatching(/^my-app-[0-9a-z]{6}$/u),
      description: "what it is",
      status: "initializing",
      owner_id: userId,
      visibility: "team",
      created_at: expect.stringMatching(/Z$/u),
      task_id: null,
    },
  });
  const { id, slug, project } = made.body;
  expect(project).toMatchObject({ id, slug });
  const call = (method: string, path = "", body?: object) =>
    service.call(method, `/api/projects/${path}`, { token, json: body });
  expect(await call("GET", id)).toMatchObject({ status: 200, body: { id, status: "stopped" } });
  expect((await call("PUT", `${id}/files/a.txt`, { content: "hello" })).status).toBe(200);

  expect(await call("GET", id)).toMatchObject({ body: { deployed_at: null } });
  const on = await service.call<{ deployed_at: string }>("POST", `/api/projects/${id}/deploy`, { token });
  const since = on.body.deployed_at;
  expect(since).toMatch(/Z$/u);
  expect(await call("GET", id)).toMatchObject({ body: { deployed_at: since } });
  await call("DELETE", `${id}/deploy`);

  const renamed = { id, slug, name: "Renamed", visibility: "team", deployed_at: null };
  expect(await call("PUT", id, { name: "Renamed" })).toMatchObject({ status: 200, body: renamed });
  const change = { visibility: "private", description: null };
  const changed = { name: "Renamed", visibility: "private", description: "" };
  expect(await call("PATCH", slug, change)).toMatchObject({ status: 200, body: changed });
  await call("PATCH", `${id}/settings`, { settings: { theme: "dark", list: [1, { two: null }] } });
  await call("PATCH", `${id}/settings`, { settings: { theme: "light" } });
  expect((await call("GET", `${id}/settings`)).body).toEqual({
    settings: { theme: "light", list: [1, { two: null }] },
    architecture_diagram: null,
    diagram_type: null,
  });

  expect(await call("DELETE", slug)).toMatchObject({
    status: 200,
    body: {
      message: "Project deleted",
      project_id: id,
      project_slug: slug,
      status_endpoint: expect.stringMatching(/^\/api\/tasks\/[^/]+\/status$/u),
    },
  });
  for (const method of ["GET", "DELETE"]) {
    expect(await call(method, id)).toMatchObject({ status: 404, body: { detail: "Project not found" } });
  }
});

it("projects are listed newest first, for their members only", async () => {
  const [owner, stranger] = [await service.signUp(), await service.signUp()];
  const [first, second] = [await service.newProject(owner.token), await service.newProject(owner.token)];
  const { body } = await service.call<api.Project[]>("GET", "/api/projects", { token: owner.token });
  expect(body.map(({ id }) => id)).toEqual([second.id, first.id]);
  expect((await service.call("GET", "/api/projects", { token: stranger.token })).body).toEqual([]);
  const ofTeam = await service.call("GET", "/api/projects?team=no-such-team", { token: owner.token });
  expect(ofTeam).toMatchObject({ status: 404, body: { detail: "Team not found" } });
});
