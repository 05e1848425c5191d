import { describe, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const service = sharedService();

const call = <T = unknown>(who: Account, method: string, path: string, json?: unknown) =>
  service.call<T>(method, path, { token: who.token, json });

/** A team with a project of its owner's, and a member with this role. */
async function newProject(role: "admin" | "editor" | "viewer") {
  const team = await newTeamClient(service);
  const { id } = await service.newProject(team.owner.token);
  const path = (rest = "") => `/api/projects/${id}${rest}`;
  const member = await team.join(role);
  const asOwner = (method: string, rest: string, json?: unknown) =>
    call(team.owner, method, path(rest), json);
  return { team, id, path, member, asOwner, owner: team.owner };
}

const invoke = (token: string, projectId: string) =>
  service.call("POST", "/api/external/agent/invoke", {
    token,
    json: { project_id: projectId, message: "Hello" },
  });
const write = (token: string, path: (rest: string) => string) =>
  service.call("PUT", path("/files/a.txt"), { token, json: { content: "a" } });

const noPermission = (role: string, permission: string) => ({
  status: 403,
  body: { detail: `Role '${role}' does not have permission '${permission}'` },
});

/** What every role in a team and a project may do is proven in test/domain/workspaces/projects/roles.test.ts. */
describe("a role in a project", () => {
  it("keeps an editor of the team from writing and sending, through keys too, from the next call on", async () => {
    const { path, id, member, asOwner } = await newProject("editor");
    const { key } = await service.newKey(member.token);
    expect((await write(key, path)).status).toBe(200);
    expect((await invoke(key, id)).status).toBe(200);
    await asOwner("POST", "/members", { email: member.email.toUpperCase(), role: "viewer" });
    expect(await write(member.token, path)).toMatchObject(noPermission("viewer", "file.write"));
    expect(await write(key, path)).toMatchObject(noPermission("viewer", "file.write"));
    expect(await invoke(key, id)).toMatchObject(noPermission("viewer", "chat.send"));
    expect((await service.call("GET", path("/files/a.txt"), { token: key })).status).toBe(200);
    expect((await asOwner("DELETE", `/members/${member.id}`)).status).toBe(204);
    expect((await write(key, path)).status).toBe(200);
  });

  it("opens a private project, which is not there for other members; who sees it is in the team's log once", async () => {
    const { path, id, member, asOwner, owner, team } = await newProject("editor");
    await asOwner("PUT", "", { visibility: "private", name: "Secret" });
    expect(await asOwner("PATCH", "", { visibility: "private" })).toMatchObject({
      status: 200,
      body: { visibility: "private" },
    });
    expect((await call(member, "GET", path())).status).toBe(404);
    const listed = async (who: Account) =>
      (await call<{ id: string }[]>(who, "GET", "/api/projects")).body.map((each) => each.id);
    expect([await listed(member), await listed(owner)]).toEqual([[], [id]]);
    await asOwner("POST", "/members", { user_id: member.id, role: "viewer" });
    expect((await call(member, "GET", path("/my-role"))).body).toEqual({ role: "viewer" });
    expect(await listed(member)).toEqual([id]);
    const log = await team.asOwner("GET", "/audit-log?action=project.visibility_changed");
    expect(log.body).toEqual([
      expect.objectContaining({ project_id: id, details: { from: "team", to: "private" } }),
    ]);
  });
});

it("the members of a project are added, changed and removed by its administrators, and listed for every person who sees it", async () => {
  const { path, member, asOwner, team } = await newProject("viewer");
  const watcher = await team.join("viewer");
  const json = { user_id: member.id, role: "editor" };
  const shown = {
    user_id: member.id,
    name: member.username,
    username: member.username,
    email: member.email,
    avatar_url: null,
    role: "editor",
    joined_at: expect.stringMatching(/Z$/u),
  };
  expect(await asOwner("POST", "/members", json)).toMatchObject({ status: 201, body: shown });
  expect(await asOwner("POST", "/members", { ...json, role: "admin" })).toMatchObject({
    status: 409,
    body: { detail: "This person already has a role in the project" },
  });
  expect((await call(watcher, "GET", path("/members"))).body).toEqual([shown]);
  const user = `/members/${member.id}`;
  expect(await call(member, "PATCH", path(user), { role: "admin" })).toMatchObject(
    noPermission("editor", "team.change_role"),
  );
  expect(await asOwner("PATCH", user, { role: "admin" })).toMatchObject({
    status: 200,
    body: { role: "admin" },
  });
  expect((await call(member, "PATCH", path(user), { role: "viewer" })).status).toBe(200);
  expect((await asOwner("DELETE", user)).status).toBe(204);
  expect((await asOwner("DELETE", user)).status).toBe(404);
  const log = await team.asOwner<{ action: string; details: unknown }[]>("GET", "/audit-log");
  expect(log.body.slice(0, 4).map(({ action, details }) => [action, details])).toEqual([
    ["project.member_removed", { role: "viewer" }],
    ["project.role_changed", { from: "admin", to: "viewer" }],
    ["project.role_changed", { from: "editor", to: "admin" }],
    ["project.member_added", { role: "editor" }],
  ]);
});
