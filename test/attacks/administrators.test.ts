import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import {
  adminActions,
  approvals,
  auditLog,
  containers,
  teamMemberships,
  users,
} from "#src/db/schema/index.ts";
import { answerApproval, readApproval } from "#src/domain/agent-work/approvals/index.ts";
import { listApprovals, sendMessage } from "#src/domain/agent-work/chats/index.ts";
import { startTask } from "#src/domain/agent-work/tasks/index.ts";
import { retryConnections } from "#src/domain/messaging/gateway/index.ts";
import type { Role, Scope, UserCaller } from "#src/domain/access/permissions/index.ts";
import { changeRole, leaveTeam } from "#src/domain/programs/members/index.ts";
import { deleteContainer } from "#src/domain/workspaces/containers/index.ts";
import { createProject, deleteProject, requireProject } from "#src/domain/workspaces/projects/index.ts";
import type { Services } from "#src/services.ts";
import { asMember, joinTeam, newColleague, newMember, newTeam } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { NO_AGENT_LIMITS, NO_LAUNCHES, messageToAgent } from "#test/support/message-to-agent.ts";
import { CLIENT } from "#test/support/people.ts";
import { partOf } from "#test/support/part-of.ts";

const { db } = await fileDatabase();

const deps = partOf<Services>({
  db,
  config: { DEFAULT_MODEL: "demo", ...NO_AGENT_LIMITS },
  modelSettings: { platformModels: ["demo"] },
  queue: { publish: async () => {}, publishBatch: async () => {} },
  taskLogs: NO_LAUNCHES,
});

let team: Awaited<ReturnType<typeof newTeam>>;
let project: Awaited<ReturnType<typeof createProject>>;
/** Administers the installation, and is no member of the team. */
let admin: { id: string; caller: UserCaller };

beforeEach(async () => {
  team = await newTeam(db);
  project = await createProject({ db }, team.owner.caller, {
    name: "app",
    description: "",
    sourceType: "empty",
    visibility: "private",
  });
  const person = await newColleague(db, "root");
  await db.update(users).set({ isSuperuser: true }).where(eq(users.id, person.id));
  admin = { id: person.id, caller: { ...person.caller, isSuperuser: true } };
});

const trail = async () =>
  (
    await db.select().from(adminActions).where(eq(adminActions.adminId, admin.id)).orderBy(adminActions.id)
  ).map(({ actionType, targetId, details, ipAddress }) => ({ actionType, targetId, details, ipAddress }));
const entered = (permission: Scope) =>
  expect.objectContaining({ actionType: "project.entered", targetId: project.id, details: { permission } });
/** What the team's administrators read of it. */
const told = async () =>
  (await db.select().from(auditLog).where(eq(auditLog.teamId, project.teamId)).orderBy(auditLog.id))
    .filter(({ userId }) => userId === admin.id)
    .map(({ action, details }) => ({ action, details }));
const enter = (caller: UserCaller, scope: Scope) => requireProject({ db }, caller, project.slug, scope);

describe("an administrator of the installation who enters the project of others", () => {
  it("leaves a row for each permission, which the team can read, once an hour", async () => {
    for (const scope of ["file.read", "file.write", "file.read"] as const) await enter(admin.caller, scope);
    expect(await trail()).toEqual([entered("file.read"), entered("file.write")]);
    expect(await told()).toEqual([
      { action: "project.entered", details: { permission: "file.read" } },
      { action: "project.entered", details: { permission: "file.write" } },
    ]);
    await db
      .update(adminActions)
      .set({ createdAt: sql`now() - interval '61 minutes'` })
      .where(eq(adminActions.adminId, admin.id));
    await enter(admin.caller, "file.read");
    expect(await trail()).toHaveLength(3);
    expect(await told()).toHaveLength(3);
  });

  it("leaves one for a message to the agent", async () => {
    await sendMessage(deps, admin.caller, {
      project: project.id,
      message: "Hello",
      chatId: undefined,
      agentId: undefined,
    });
    expect(await trail()).toEqual([entered("chat.send")]);
  });

  it.each([
    ["editor", "file.write", 0],
    ["viewer", "file.write", 1],
    ["viewer", "file.read", 0],
  ] as const)(
    "leaves none for what a member may do anyhow: %s, %s -> %i",
    async (role: Role, scope, rows) => {
      project = await createProject({ db }, team.owner.caller, {
        name: "shared",
        description: "",
        sourceType: "empty",
      });
      await db.insert(teamMemberships).values({ teamId: project.teamId, userId: admin.id, role });
      await enter(admin.caller, scope);
      expect(await trail()).toHaveLength(rows);
    },
  );

  it("neither reads nor answers what the agent of a private chat asks", async () => {
    const { owner } = team;
    const { taskId } = await startTask(deps, messageToAgent({ userId: owner.id, projectId: project.id }));
    const id = crypto.randomUUID();
    const expiresAt = new Date(Date.now() + 3_600_000);
    const call = { iteration: 1, callId: "1", tool: "bash_exec", parameters: { command: "private" } };
    await db.insert(approvals).values({ id, taskId, expiresAt, ...call });
    const hidden = { code: "not_found" };
    await expect(readApproval({ db }, admin.caller, id)).rejects.toMatchObject(hidden);
    const answer = { approvalId: id, response: "allow_once" } as const;
    await expect(answerApproval(deps, admin.caller, answer)).rejects.toMatchObject(hidden);
    await expect(listApprovals({ db }, admin.caller, project.id)).rejects.toMatchObject(hidden);
    expect(await listApprovals({ db }, admin.caller, undefined)).toEqual([]);
    expect(await readApproval({ db }, owner.caller, id)).toMatchObject({ approval: { id } });
  });
});

it("to reload the connections leaves a row", async () => {
  const gateway = partOf<Services>({
    db,
    gatewayShards: { sync: async () => {} },
    config: { GATEWAY_NUM_SHARDS: 1 },
    log: {},
  });
  await retryConnections(gateway, { adminId: admin.id, address: "192.0.2.9" });
  expect(await trail()).toEqual([
    expect.objectContaining({ actionType: "gateway.reloaded", ipAddress: "192.0.2.9" }),
  ]);
});

describe("an administrator of a team", () => {
  it("leaves a row of what is deleted", async () => {
    const { caller } = team.owner;
    const container = crypto.randomUUID();
    await db.insert(containers).values({ id: container, projectId: project.id, name: "web", label: "web" });
    await deleteContainer(deps, caller, { project: project.id, container }, CLIENT);
    const deleting = partOf<Services>({
      ...deps,
      workspaces: { destroy: async () => {} },
      archives: {},
      log: { warn: () => {} },
    });
    await deleteProject(deleting, caller, project.id, CLIENT);
    const log = await db.select().from(auditLog).where(eq(auditLog.teamId, project.teamId));
    const by = { userId: team.owner.id, ipAddress: CLIENT.address, projectId: null };
    for (const deed of [
      { action: "container.deleted", resourceId: container, details: { name: "web" } },
      { action: "project.deleted", resourceId: project.id },
    ]) {
      expect(log).toContainEqual(expect.objectContaining({ ...by, ...deed }));
    }
  });

  it("cannot leave a team to an administrator whose account is disabled", async () => {
    const other = await newMember(db, team.id, "admin");
    await db.update(users).set({ isActive: false }).where(eq(users.id, other.id));
    const conflict = { code: "conflict" };
    await expect(leaveTeam(deps, team.admin, CLIENT)).rejects.toMatchObject(conflict);
    const demoted = changeRole(deps, team.admin, team.owner.id, "editor", CLIENT);
    await expect(demoted).rejects.toMatchObject(conflict);
    const third = await newColleague(db);
    await joinTeam(db, third, team.id, "admin");
    await leaveTeam(deps, asMember(team.owner, team.id, "admin"), CLIENT);
  });
});
