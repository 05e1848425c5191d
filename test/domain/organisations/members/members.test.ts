import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  auditLog,
  externalApiKeys,
  projectMemberships,
  teamInvitations,
  teamMemberships,
  users,
} from "#src/db/schema/index.ts";
import { authenticateKey, type Role } from "#src/domain/organisations/access/index.ts";
import { createApiKey } from "#src/domain/organisations/api-keys/index.ts";
import { acceptInvitation, createLink } from "#src/domain/organisations/invitations/index.ts";
import { changeRole, leaveTeam, listMembers, removeMember } from "#src/domain/organisations/members/index.ts";
import { addProjectMember, createProject, requireProject } from "#src/domain/workspaces/projects/index.ts";
import { requireTeam, switchTeam } from "#src/domain/organisations/teams/index.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { DEFAULT_CEILINGS } from "#test/support/ceilings.ts";
import { openDatabase } from "#test/support/database.ts";
import { CLIENT } from "#test/support/people.ts";
import {
  asMember,
  joinTeam,
  newColleague,
  newMember,
  newTeam,
  rolesOf,
  type Colleague,
} from "#test/support/colleagues.ts";
import { RACES } from "#test/support/races.ts";

const secrets = createSecrets("a-secret-key-for-tests-of-32-characters");
const config = { ...DEFAULT_CEILINGS, PUBLIC_URL: "https://service.test" };

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(async () => {
  await database.close();
});

const published: QueueMessage[] = [];
const deps = () => ({
  db: database.db,
  queue: { publishBatch: async (messages: readonly QueueMessage[]) => void published.push(...messages) },
});

type Team = Awaited<ReturnType<typeof newTeam>>;
type Member = Awaited<ReturnType<typeof newMember>>;

const remove = (team: Team, { id }: Colleague) => removeMember(deps(), team.admin, id, CLIENT);
const change = (team: Team, { id }: Colleague, role: Role) =>
  changeRole(deps(), team.admin, id, role, CLIENT);
const leave = ({ member }: Member) => leaveTeam(deps(), member, CLIENT);
const ownerOf = (team: Team): Member => ({ ...team.owner, member: team.admin });

const lastAdmin = expect.objectContaining({
  code: "conflict",
  message: "A team needs an administrator: make another member an administrator first",
});
const noMember = expect.objectContaining({ code: "not_found", message: "Member not found" });

const tally = (outcomes: PromiseSettledResult<unknown>[]) => ({
  done: outcomes.filter(({ status }) => status === "fulfilled").length,
  refused: outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : [])),
});

async function newKey({ caller, id }: Colleague, teamId: string) {
  await database.db.update(users).set({ defaultTeamId: teamId }).where(eq(users.id, id));
  const wish = { name: "key", scopes: null, projectIds: null, expiresAt: null };
  return createApiKey({ ...database, secrets }, caller, wish, CLIENT);
}

async function entriesOf(teamId: string) {
  const rows = await database.db.select().from(auditLog).where(eq(auditLog.teamId, teamId));
  return rows.map(({ action, userId, resourceId, details }) => ({ action, userId, resourceId, details }));
}

const tokenOf = ({ url }: { url: string }) => url.slice(url.lastIndexOf("/") + 1);

describe("the last administrator", () => {
  it("can neither leave, nor be removed, nor be made less", async () => {
    const team = await newTeam(database.db);
    const editor = await newMember(database.db, team.id, "editor");
    await expect(leave(ownerOf(team))).rejects.toEqual(lastAdmin);
    await expect(remove(team, team.owner)).rejects.toEqual(lastAdmin);
    await expect(change(team, team.owner, "editor")).rejects.toEqual(lastAdmin);
    expect(await rolesOf(database.db, team.id)).toEqual({ [team.owner.id]: "admin", [editor.id]: "editor" });
    expect(await change(team, team.owner, "admin")).toMatchObject({ role: "admin" });
  });

  it("is one, when six leave, demote and remove one another at once", async () => {
    const team = await newTeam(database.db);
    const admins = [ownerOf(team)];
    while (admins.length < 6) admins.push(await newMember(database.db, team.id, "admin"));
    const next = (index: number) => admins[(index + 1) % admins.length] ?? ownerOf(team);
    await Promise.allSettled(
      admins.flatMap((each, index) => [
        leave(each),
        changeRole(deps(), each.member, next(index).id, "viewer", CLIENT),
        removeMember(deps(), each.member, next(index).id, CLIENT),
      ]),
    );
    const roles = Object.values(await rolesOf(database.db, team.id));
    expect(roles.filter((role) => role === "admin")).toHaveLength(1);
  });
});

describe("a personal team", () => {
  it("keeps its owner as its administrator, also beside another administrator", async () => {
    const owner = await newColleague(database.db);
    const guest = await newMember(database.db, owner.personalTeamId, "admin");
    const team = { id: owner.personalTeamId, slug: "", owner, admin: guest.member };
    const refused = expect.objectContaining({
      code: "conflict",
      message: "The owner of a personal team must stay its administrator",
    });
    await expect(remove(team, owner)).rejects.toEqual(refused);
    await expect(change(team, owner, "viewer")).rejects.toEqual(refused);
    const own = { ...owner, member: asMember(owner, owner.personalTeamId, "admin") };
    await expect(leave(own)).rejects.toEqual(refused);
    await leave(guest);
    expect(await rolesOf(database.db, team.id)).toEqual({ [owner.id]: "admin" });
  });
});

describe("a change of role", () => {
  it("applies to the next request, also of keys, and is in the audit log", async () => {
    const team = await newTeam(database.db);
    const editor = await newMember(database.db, team.id, "editor");
    const { token } = await newKey(editor, team.id);
    expect(await authenticateKey(database, token)).toMatchObject({ role: "editor" });
    expect(await change(team, editor, "viewer")).toMatchObject({ userId: editor.id, role: "viewer" });
    expect(published).toContainEqual({ function: "stop-tasks", payload: { userId: editor.id } });
    expect(await authenticateKey(database, token)).toMatchObject({ role: "viewer" });
    await expect(requireTeam(database, editor.caller, "project.create", team.slug)).rejects.toMatchObject({
      code: "forbidden",
      message: "Role 'viewer' does not have permission 'project.create'",
    });
    expect(await entriesOf(team.id)).toContainEqual({
      action: "member.role_changed",
      userId: team.owner.id,
      resourceId: editor.id,
      details: { from: "editor", to: "viewer" },
    });
  });

  it("finds no stranger, and no member under a name that is no id", async () => {
    const team = await newTeam(database.db);
    const stranger = await newColleague(database.db);
    for (const id of [stranger.id, "garbage", "a\0b"]) {
      await expect(changeRole(deps(), team.admin, id, "viewer", CLIENT)).rejects.toEqual(noMember);
      await expect(removeMember(deps(), team.admin, id, CLIENT)).rejects.toEqual(noMember);
    }
  });

  it("takes the invitations that a former administrator made", async () => {
    const team = await newTeam(database.db);
    const admin = await newMember(database.db, team.id, "admin");
    const wish = { role: "viewer", maxUses: null, days: 30 } as const;
    const theirs = await createLink({ ...database, config }, admin.member, wish, CLIENT);
    const others = await createLink({ ...database, config }, team.admin, wish, CLIENT);
    await change(team, admin, "editor");
    const rows = await database.db.select().from(teamInvitations).where(eq(teamInvitations.teamId, team.id));
    expect(Object.fromEntries(rows.map(({ id, revokedAt }) => [id, revokedAt !== null]))).toEqual({
      [theirs.invitation.id]: true,
      [others.invitation.id]: false,
    });
  });
});

describe("who is removed", () => {
  it("loses the team, its keys, its projects and invitations at once; what the keys started is sent for", async () => {
    const { db } = database;
    const team = await newTeam(db);
    const admin = await newMember(db, team.id, "admin");
    const wish = { name: "app", description: "", sourceType: "empty" } as const;
    await switchTeam(deps(), team.admin);
    const project = await createProject(database, team.owner.caller, wish);
    const asked = { caller: team.owner.caller, project: project.id, client: CLIENT };
    await addProjectMember(deps(), asked, { userId: admin.id }, "editor");
    const elsewhere = await newKey(admin, admin.personalTeamId);
    const { key, token } = await newKey(admin, team.id);
    await createLink(
      { ...database, config },
      admin.member,
      { role: "admin", maxUses: null, days: 1 },
      CLIENT,
    );
    published.length = 0;

    await remove(team, admin);

    expect(await listMembers(database, team.id)).toEqual([
      expect.objectContaining({ userId: team.owner.id, role: "admin" }),
    ]);
    await expect(requireTeam(database, admin.caller, "team.view", team.slug)).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(requireProject(database, admin.caller, project.id, "project.view")).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(authenticateKey(database, token)).rejects.toMatchObject({ code: "unauthenticated" });
    const [stored] = await db.select().from(externalApiKeys).where(eq(externalApiKeys.id, key.id));
    expect(stored).toMatchObject({ isActive: false, keyHash: null, revokedAt: expect.any(Date) });
    await expect(authenticateKey(database, elsewhere.token)).resolves.toBeDefined();
    expect(published).toEqual([
      { function: "stop-tasks", payload: { keyId: key.id } },
      { function: "stop-tasks", payload: { userId: admin.id } },
    ]);
    const [account] = await db.select().from(users).where(eq(users.id, admin.id));
    expect(account?.defaultTeamId).toBe(admin.personalTeamId);
    expect(await db.select().from(projectMemberships).where(eq(projectMemberships.userId, admin.id))).toEqual(
      [],
    );
    const [invitation] = await db.select().from(teamInvitations).where(eq(teamInvitations.teamId, team.id));
    expect(invitation?.revokedAt).toBeInstanceOf(Date);
    const by = { userId: team.owner.id };
    expect(await entriesOf(team.id)).toEqual(
      expect.arrayContaining([
        { ...by, action: "member.removed", resourceId: admin.id, details: { role: "admin" } },
        { ...by, action: "api_key.revoked", resourceId: key.id, details: { reason: "member.removed" } },
      ]),
    );
  });

  it("keeps nothing that was made for them at that very moment", async () => {
    const { db } = database;
    for (let round = 1; round <= RACES; round += 1) {
      const team = await newTeam(db);
      const editor = await newMember(db, team.id, "editor");
      await switchTeam(deps(), team.admin);
      const wish = { name: "app", description: "", sourceType: "empty" } as const;
      const { id } = await createProject(database, team.owner.caller, wish);
      await switchTeam(deps(), editor.member);
      const asked = { caller: team.owner.caller, project: id, client: CLIENT };
      const anyKey = { name: "key", scopes: null, projectIds: null, expiresAt: null };
      const makingKeys = Array.from({ length: 4 }, () =>
        createApiKey({ ...database, secrets }, editor.caller, anyKey, CLIENT),
      );
      // The keys are about to be stored when the removal comes.
      await requireTeam(database, editor.caller, "team.view");
      const outcomes = await Promise.allSettled([
        ...makingKeys,
        switchTeam(deps(), editor.member),
        addProjectMember(deps(), asked, { email: editor.email.toUpperCase() }, "admin"),
        remove(team, editor),
        switchTeam(deps(), editor.member),
      ]);
      for (const reason of tally(outcomes).refused) expect(reason).toMatchObject({ code: "not_found" });
      const keys = await db
        .select()
        .from(externalApiKeys)
        .where(and(eq(externalApiKeys.teamId, team.id), eq(externalApiKeys.isActive, true)));
      const [account] = await db.select().from(users).where(eq(users.id, editor.id));
      const roles = await db.select().from(projectMemberships).where(eq(projectMemberships.projectId, id));
      expect([keys, account?.defaultTeamId, roles]).toEqual([[], editor.personalTeamId, []]);
    }
  });

  it("has none of the old keys and roles after coming back", async () => {
    const team = await newTeam(database.db);
    const editor = await newMember(database.db, team.id, "editor");
    const { token } = await newKey(editor, team.id);
    await leave(editor);
    expect(published).toContainEqual({ function: "stop-tasks", payload: { userId: editor.id } });
    expect(await entriesOf(team.id)).toContainEqual(
      expect.objectContaining({ action: "member.left", userId: editor.id }),
    );
    await joinTeam(database.db, editor, team.id, "viewer");
    await expect(authenticateKey(database, token)).rejects.toMatchObject({ code: "unauthenticated" });
  });

  it("does not come back by a link of the team, unless they left by themselves", async () => {
    const team = await newTeam(database.db);
    const [removed, left] = [
      await newMember(database.db, team.id, "viewer"),
      await newMember(database.db, team.id, "viewer"),
    ];
    const wish = { role: "viewer", maxUses: null, days: 30 } as const;
    const link = await createLink({ ...database, config }, team.admin, wish, CLIENT);
    const come = (who: Colleague) => acceptInvitation(database, who.caller, tokenOf(link), CLIENT);
    await leave(left);
    await come(left);
    await remove(team, removed);
    await expect(come(removed)).rejects.toMatchObject({ code: "gone" });
  });

  it("a demoted member cannot use an earlier link to a higher role", async () => {
    const team = await newTeam(database.db);
    const editor = await newMember(database.db, team.id, "editor");
    const linkFor = (role: Role) =>
      createLink({ ...database, config }, team.admin, { role, maxUses: null, days: 30 }, CLIENT);
    const [more, same] = [await linkFor("editor"), await linkFor("viewer")];
    await change(team, editor, "viewer");
    await leave(editor);
    await expect(acceptInvitation(database, editor.caller, tokenOf(more), CLIENT)).rejects.toMatchObject({
      code: "gone",
    });
    await acceptInvitation(database, editor.caller, tokenOf(same), CLIENT);
  });

  it("a disabled administrator's link lets no guest in until the administrator is enabled again", async () => {
    const team = await newTeam(database.db);
    const wish = { role: "viewer", maxUses: null, days: 30 } as const;
    const link = await createLink({ ...database, config }, team.admin, wish, CLIENT);
    const guest = await newColleague(database.db);
    const setActive = (isActive: boolean) =>
      database.db.update(users).set({ isActive }).where(eq(users.id, team.owner.id));
    await setActive(false);
    const come = () => acceptInvitation(database, guest.caller, tokenOf(link), CLIENT);
    await expect(come()).rejects.toMatchObject({ code: "gone" });
    await setActive(true);
    await come();
  });

  it("is removed once", async () => {
    const team = await newTeam(database.db);
    const editor = await newMember(database.db, team.id, "editor");
    const outcomes = await Promise.allSettled([remove(team, editor), remove(team, editor), leave(editor)]);
    const { done, refused } = tally(outcomes);
    expect([done, refused]).toEqual([1, [noMember, noMember]]);
    const gone = (await entriesOf(team.id)).filter(({ action }) =>
      /^member\.(?:left|removed)$/u.test(action),
    );
    expect(gone).toHaveLength(1);
    expect(
      await database.db.select().from(teamMemberships).where(eq(teamMemberships.userId, editor.id)),
    ).toHaveLength(1);
  });
});
