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
    const state = await service.call("GET", `/api/projects/${body.slug}/status`, { token });
    expect(state).toMatchObject({ status: 200, body: { state: "stopped", project_id: body.id } });
    const file = await service.call("PUT", `/api/projects/${body.id}/files/a.txt`, {
      token,
      json: { content: "hello" },
    });
    expect(file.status).toBe(200);
  });

  it.each([undefined, "base", "template"])("has an empty workspace with the source %s", async (source) => {
    const { token } = await service.signUp();
    const answer = await service.call("POST", "/api/projects", {
      token,
      json: { name: "x", source_type: source },
    });
    expect(answer).toMatchObject({ status: 200, body: { source_type: source ?? "base" } });
  });

  it.each([
    ["no name", {}, 422],
    ["a blank name", { name: "  " }, 422],
    ["a NUL in its name", { name: "a\0" }, 422],
    ["an unknown source", { name: "x", source_type: "floppy" }, 422],
    ["a repository without an address", { name: "x", source_type: "github" }, 400],
    ["a body that is no object", [], 422],
  ])("is refused for %s", async (_, json, status) => {
    const { token } = await service.signUp();
    const answer = await service.call("POST", "/api/projects", { token, json });
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ detail: expect.any(String) });
  });
});

describe("projects", () => {
  it("are listed newest first, for their members only", async () => {
    const [owner, stranger] = [await service.signUp(), await service.signUp()];
    const [first, second] = [await service.newProject(owner.token), await service.newProject(owner.token)];
    for (const path of ["/api/projects", "/api/projects/"]) {
      const { body } = await service.call<Project[]>("GET", path, { token: owner.token });
      expect(body.map(({ id }) => id)).toEqual([second.id, first.id]);
    }
    expect((await service.call("GET", "/api/projects", { token: stranger.token })).body).toEqual([]);
    const ofTeam = await service.call("GET", "/api/projects?team=no-such-team", { token: owner.token });
    expect(ofTeam).toMatchObject({ status: 404, body: { detail: "Team not found" } });
  });

  it("are not there for strangers, whatever they ask of them", async () => {
    const [owner, stranger] = [await service.signUp(), await service.signUp()];
    const { id, slug } = await service.newProject(owner.token);
    const requests = [
      ["GET", ""],
      ["PUT", "", { name: "mine" }],
      ["PATCH", "", { name: "mine" }],
      ["DELETE", ""],
      ["GET", "/status"],
      ["GET", "/my-role"],
      ["GET", "/settings"],
      ["PATCH", "/settings", { settings: {} }],
      ["POST", "/activity"],
    ] as const;
    for (const name of [id, slug, crypto.randomUUID(), "%00", "a%2Fb"]) {
      for (const [method, path, json] of requests) {
        const answer = await service.call(method, `/api/projects/${name}${path}`, {
          token: stranger.token,
          json,
        });
        expect(answer).toMatchObject({ status: 404, body: { detail: "Project not found" } });
      }
    }
    const still = await service.call("GET", `/api/projects/${id}`, { token: owner.token });
    expect(still).toMatchObject({ status: 200, body: { name: "app" } });
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

  it.each([
    ["a NUL in a value", { a: { b: ["\0"] } }],
    ["a NUL in a key", { "a\0": 1 }],
    ["half a character", { a: "\ud800" }],
    ["no object", "text"],
  ])("refuse settings with %s", async (_, settings) => {
    const { token } = await service.signUp();
    const { id } = await service.newProject(token);
    const answer = await service.call("PATCH", `/api/projects/${id}/settings`, { token, json: { settings } });
    expect(answer).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/^settings/u) } });
  });

  it("refuse settings nested a hundred thousand deep", async () => {
    const { token } = await service.signUp();
    const { id } = await service.newProject(token);
    const answer = await service.call("PATCH", `/api/projects/${id}/settings`, {
      token,
      headers: { "content-type": "application/json" },
      body: `{"settings":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`,
    });
    expect(answer.status).toBe(422);
  });

  it("know the caller's role, and when they were last worked on", async () => {
    const { token } = await service.signUp();
    const { id } = await service.newProject(token);
    const role = await service.call("GET", `/api/projects/${id}/my-role`, { token });
    expect(role).toMatchObject({ status: 200, body: { role: "admin" } });
    const noted = await service.call("POST", `/api/projects/${id}/activity`, { token });
    expect(noted).toMatchObject({ status: 204, text: "" });
    const { body } = await service.call("GET", `/api/projects/${id}`, { token });
    expect(body).toMatchObject({ last_activity: expect.stringMatching(/Z$/u) });
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

  it("need a caller who is signed in", async () => {
    const answer = await service.call("GET", "/api/projects");
    expect(answer).toMatchObject({ status: 401, body: { detail: "Not authenticated" } });
  });
});
