import { describe, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTaskClient, script } from "#test/support/task-client.ts";
import { newTeamClient, type TeamView } from "#test/support/team-client.ts";

const service = sharedService();

const call = <T = unknown>(who: Account, method: string, path: string, json?: unknown) =>
  service.call<T>(method, path, { token: who.token, json });

const notFound = { status: 404, body: { detail: "Team not found" } };

describe("teams", () => {
  it("begin with the personal one, in the shape clients read, which is neither left nor deleted", async () => {
    const ann = await service.signUp("ann");
    const { body } = await call<TeamView[]>(ann, "GET", "/api/teams");
    expect(body).toEqual([
      {
        id: expect.any(String),
        name: `${ann.username}'s team`,
        slug: expect.stringMatching(/-team$/u),
        avatar_url: null,
        is_personal: true,
        created_by_id: ann.id,
        role: "admin",
        subscription_tier: "free",
        total_credits: 15_005,
        daily_credits: 5,
        bundled_credits: 0,
        purchased_credits: 0,
        signup_bonus_credits: 15_000,
        deployed_projects_count: 0,
        support_tier: "community",
        created_at: expect.stringMatching(/Z$/u),
      },
    ]);
    const path = `/api/teams/${body[0]?.slug}`;
    expect(await call(ann, "POST", `${path}/leave`)).toMatchObject({
      status: 409,
      body: { detail: "The owner of a personal team must stay its administrator" },
    });
    expect(await call(ann, "DELETE", path)).toMatchObject({
      status: 400,
      body: { detail: "A personal team cannot be deleted" },
    });
  });

  it("are made, changed, and found under their slug by members only", async () => {
    const [ann, bob] = [await service.signUp("ann"), await service.signUp("bob")];
    const slug = `lab-${crypto.randomUUID()}`;
    const made = await call(ann, "POST", "/api/teams", { name: "  Lab  ", slug });
    expect(made).toMatchObject({
      status: 201,
      body: { name: "Lab", slug, is_personal: false, role: "admin" },
    });
    expect(await call(bob, "POST", "/api/teams", { name: "Lab", slug })).toMatchObject({
      status: 409,
      body: { detail: "This slug is taken: choose another" },
    });
    const path = `/api/teams/${slug}`;
    const shape = { name: "Workshop", slug: `${slug}-2`, avatar_url: "https://example.com/a.png" };
    expect(await call(ann, "PATCH", path, shape)).toMatchObject({ status: 200, body: shape });
    expect(await call(ann, "GET", path)).toMatchObject(notFound);
    expect(await call(ann, "GET", `${path}-2/`)).toMatchObject({ status: 200, body: shape });
    expect(await call(bob, "GET", `${path}-2`)).toMatchObject(notFound);
    // No picture that is not on the web.
    for (const avatar_url of ["javascript:alert(1)", "data:text/html,x", "a.png"]) {
      expect((await call(ann, "PATCH", `${path}-2`, { avatar_url })).status).toBe(422);
    }
  });

  it.each([
    ["a blank name", { name: " " }, 422],
    ["a slug that ends in a hyphen", { name: "a", slug: "ab-" }, 422],
    ["a slug that is a path of ours", { name: "a", slug: "invitations" }, 400],
  ])("are not made with %s", async (_, json, status) => {
    const answer = await call(await service.signUp(), "POST", "/api/teams", json);
    expect(answer).toMatchObject({ status, body: { detail: expect.any(String) } });
  });

  it("are deleted when they have no projects, which sends their members back to their own", async () => {
    const { path, owner, asOwner, join } = await newTeamClient(service);
    const viewer = await join("viewer");
    const { id } = await service.newProject(owner.token);
    expect(await asOwner("DELETE", "")).toMatchObject({
      status: 409,
      body: { detail: "The team has projects: move or delete them first" },
    });
    await call(owner, "DELETE", `/api/projects/${id}`);
    expect((await asOwner("DELETE", "")).status).toBe(204);
    expect(await call(viewer, "GET", path())).toMatchObject(notFound);
    const [own, ...others] = (await call<TeamView[]>(viewer, "GET", "/api/teams")).body;
    expect(others).toEqual([]);
    const me = await call(viewer, "GET", "/api/users/me");
    expect(me.body).toMatchObject({ default_team_id: own?.id });
  });
});

describe("members", () => {
  it("are listed in the order of joining, found by their id only, and keep an administrator", async () => {
    const { owner, join, path, asOwner } = await newTeamClient(service);
    const viewer = await join("viewer");
    const { body } = await call(viewer, "GET", path("/members"));
    expect(body).toEqual([
      {
        user_id: owner.id,
        name: owner.username,
        username: owner.username,
        email: owner.email,
        avatar_url: null,
        role: "admin",
        joined_at: expect.stringMatching(/Z$/u),
      },
      expect.objectContaining({ user_id: viewer.id, role: "viewer" }),
    ]);
    const stranger = await service.signUp();
    for (const id of [stranger.id, "%00"]) {
      const unknown = { status: 404, body: { detail: "Member not found" } };
      expect(await asOwner("DELETE", `/members/${id}`)).toMatchObject(unknown);
      expect(await asOwner("PATCH", `/members/${id}`, { role: "admin" })).toMatchObject(unknown);
    }
    const detail = "A team needs an administrator: make another member an administrator first";
    for (const answer of [
      await asOwner("POST", "/leave"),
      await asOwner("DELETE", `/members/${owner.id}`),
      await asOwner("PATCH", `/members/${owner.id}`, { role: "editor" }),
    ]) {
      expect(answer).toMatchObject({ status: 409, body: { detail } });
    }
  });

  it("who leave or are removed are strangers at once, and their keys and what these started end", async () => {
    const { owner, join, asOwner, path } = await newTeamClient(service);
    const { id: projectId } = await service.newProject(owner.token);
    const editor = await join("editor");
    const client = await newTaskClient(service, { account: editor, projectId });
    const endless = script({ text: "I am thinking about it", chunks: 3, delay_ms: 60_000 });
    const { task_id: taskId } = await client.start(endless);
    const reading = client.end(taskId);
    await client.event(taskId, "text_delta");

    expect((await asOwner("DELETE", `/members/${editor.id}`)).status).toBe(204);

    expect(await call(editor, "GET", path())).toMatchObject(notFound);
    expect(await call(editor, "GET", `/api/projects/${projectId}`)).toMatchObject({
      status: 404,
      body: { detail: "Project not found" },
    });
    expect((await client.invoke("Hello")).status).toBe(401);
    expect((await reading).at(-1)?.body).toMatchObject({ type: "done", status: "failed" });
    // A key of another team does not reach what was done in this one.
    const own = await newTaskClient(service, { account: editor });
    const status = await service.call("GET", `/api/external/agent/status/${taskId}`, { token: own.key });
    expect(status).toMatchObject({ status: 404, body: { detail: "Task not found" } });
    const tasks = await service.call("GET", "/api/v1/agents/tasks", { token: own.key });
    expect(tasks.body).toMatchObject({ items: [], total: 0 });

    const viewer = await join("viewer");
    expect((await call(viewer, "POST", path("/leave"))).status).toBe(204);
    expect(await call(viewer, "GET", path())).toMatchObject(notFound);

    const log = await asOwner<{ action: string }[]>("GET", "/audit-log");
    expect(log.body.map(({ action }) => action)).toEqual([
      "member.left",
      "member.joined",
      "member.invited",
      "api_key.revoked",
      "member.removed",
      "api_key.created",
      "member.joined",
      "member.invited",
      "team.created",
    ]);
  });
});
