import { describe, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();

interface Project {
  id: string;
  slug: string;
  status: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

describe("a new project", () => {
  it("is announced as initializing under the names of both client families, and usable at once", async () => {
    const { token, id: userId } = await service.signUp();
    const json = { name: "My App", description: "what it is", source_type: "empty" };
    const { status, body } = await service.call<Project & { project: Project }>("POST", "/api/projects/", {
      token,
      json,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(UUID),
      name: "My App",
      slug: expect.stringMatching(/^my-app-[0-9a-z]{6}$/u),
      description: "what it is",
      status: "initializing",
      source_type: "empty",
      owner_id: userId,
      visibility: "team",
      created_at: expect.stringMatching(/Z$/u),
      last_activity: null,
      task_id: null,
      status_endpoint: null,
    });
    expect(body.project).toMatchObject({ id: body.id, slug: body.slug });
    const settled = await service.call("GET", `/api/projects/${body.id}`, { token });
    expect(settled).toMatchObject({ status: 200, body: { id: body.id, status: "stopped" } });
    const path = `/api/projects/${body.id}/files/a.txt`;
    expect((await service.call("PUT", path, { token, json: { content: "hello" } })).status).toBe(200);
  });
});

describe("projects", () => {
  it("are listed newest first, for their members only", async () => {
    const [owner, stranger] = [await service.signUp(), await service.signUp()];
    const [first, second] = [await service.newProject(owner.token), await service.newProject(owner.token)];
    const { body } = await service.call<Project[]>("GET", "/api/projects", { token: owner.token });
    expect(body.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect((await service.call("GET", "/api/projects", { token: stranger.token })).body).toEqual([]);
    const ofTeam = await service.call("GET", "/api/projects?team=no-such-team", { token: owner.token });
    expect(ofTeam).toMatchObject({ status: 404, body: { detail: "Team not found" } });
  });

  it("can be changed under PUT and PATCH, part by part", async () => {
    const { token } = await service.signUp();
    const { id, slug } = await service.newProject(token);
    const put = await service.call("PUT", `/api/projects/${id}`, { token, json: { name: "Renamed" } });
    expect(put).toMatchObject({ status: 200, body: { id, slug, name: "Renamed", visibility: "team" } });
    const patch = await service.call("PATCH", `/api/projects/${slug}`, {
      token,
      json: { visibility: "private", description: null },
    });
    expect(patch).toMatchObject({
      status: 200,
      body: {
        name: "Renamed",
        visibility: "private",
        description: "",
        updated_at: expect.stringMatching(/Z$/u),
      },
    });
  });

  it("keep settings, which are merged key by key", async () => {
    const { token } = await service.signUp();
    const { id } = await service.newProject(token);
    const patch = (settings: unknown) =>
      service.call("PATCH", `/api/projects/${id}/settings`, { token, json: { settings } });
    await patch({ theme: "dark", list: [1, { two: null }] });
    const merged = { theme: "light", list: [1, { two: null }] };
    expect(await patch({ theme: "light" })).toMatchObject({ status: 200, body: { settings: merged } });
    const read = await service.call("GET", `/api/projects/${id}/settings`, { token });
    expect(read.body).toEqual({ settings: merged, architecture_diagram: null, diagram_type: null });
  });

  it("are gone when they are deleted, and only once", async () => {
    const { token } = await service.signUp();
    const { id, slug } = await service.newProject(token);
    const deleted = await service.call("DELETE", `/api/projects/${slug}`, { token });
    expect(deleted).toMatchObject({
      status: 200,
      body: {
        message: "Project deleted",
        task_id: expect.stringMatching(UUID),
        project_id: id,
        project_slug: slug,
        status_endpoint: expect.stringMatching(/^\/api\/tasks\/[^/]+\/status$/u),
      },
    });
    for (const method of ["GET", "DELETE"]) {
      const answer = await service.call(method, `/api/projects/${id}`, { token });
      expect(answer).toMatchObject({ status: 404, body: { detail: "Project not found" } });
    }
  });
});
