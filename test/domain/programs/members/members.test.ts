import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { externalApiKeys, projectMemberships, users } from "#src/db/schema/index.ts";
import { authenticateKey, type Role } from "#src/domain/access/permissions/index.ts";
import {
  acceptInvitation,
  createLink,
  listInvitations,
} from "#src/domain/organisations/invitations/index.ts";
import { changeRole, leaveTeam, removeMember } from "#src/domain/programs/members/index.ts";
import { addProjectMember, requireProject } from "#src/domain/workspaces/projects/index.ts";
import { type MemberCaller, requireTeam, switchTeam } from "#src/domain/organisations/teams/index.ts";
import { auditEntries } from "#test/domain/access/support/audit-entries.ts";
import { newApiKey } from "#test/domain/programs/support/new-api-key.ts";
import { DEFAULT_CEILINGS } from "#test/support/ceilings.ts";
import { allAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import { CLIENT } from "#test/support/people.ts";
import {
  asMember,
  type Colleague,
  newColleague,
  newMember,
  newProject,
  newTeam,
  rolesOf,
} from "#test/support/colleagues.ts";
import { RACES } from "#test/support/races.ts";
import { keptQueue } from "#test/support/kept-queue.ts";

const config = { ...DEFAULT_CEILINGS, PUBLIC_URL: "https://service.test" };

const database = await fileDatabase();
const { db } = database;

const { queue, published } = keptQueue();
const deps = () => ({ db, queue });

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

async function newKey(person: Colleague, teamId: string) {
  await db.update(users).set({ defaultTeamId: teamId }).where(eq(users.id, person.id));
  return newApiKey(db, person);
}

async function entriesOf(teamId: string) {
  const rows = await auditEntries(db, { teamId });
  return rows.map(({ action, userId, resourceId, details }) => ({ action, userId, resourceId, details }));
}

const linkBy = (admin: MemberCaller, role: Role = "viewer") =>
  createLink({ ...database, config }, admin, { role, maxUses: null, days: 30 }, CLIENT);
const come = ({ caller }: Colleague, { url }: { url: string }) =>
  acceptInvitation(database, caller, url.slice(url.lastIndexOf("/") + 1), CLIENT);

describe("the last administrator", () => {
  it("can neither leave, nor be removed, nor be made less", async () => {
    const team = await newTeam(db);
    const editor = await newMember(db, team.id, "editor");
    await expect(leave(ownerOf(team))).rejects.toEqual(lastAdmin);
    await expect(remove(team, team.owner)).rejects.toEqual(lastAdmin);
    await expect(change(team, team.owner, "editor")).rejects.toEqual(lastAdmin);
    expect(await rolesOf(db, team.id)).toEqual({ [team.owner.id]: "admin", [editor.id]: "editor" });
    expect(await change(team, team.owner, "admin")).toMatchObject({ role: "admin" });
  });

  it("is one, when six leave, demote and remove one another at once", async () => {
    const team = await newTeam(db);
    const admins = [ownerOf(team)];
    while (admins.length < 6) admins.push(await newMember(db, team.id, "admin"));
    await allAtOnce<unknown>(
      admins.flatMap((each, index) => {
        const { id } = admins[(index + 1) % admins.length] ?? each;
        return [
          leave(each),
          changeRole(deps(), each.member, id, "viewer", CLIENT),
          removeMember(deps(), each.member, id, CLIENT),
        ];
      }),
    );
    const roles = Object.values(await rolesOf(db, team.id));
    expect(roles.filter((role) => role === "admin")).toHaveLength(1);
  });
});

describe("a personal team", () => {
  it("keeps its owner as its administrator, also beside another administrator", async () => {
    const owner = await newColleague(db);
    const guest = await newMember(db, owner.personalTeamId, "admin");
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
    expect(await rolesOf(db, team.id)).toEqual({ [owner.id]: "admin" });
  });
});

describe("a change of role", () => {
  it("applies to the next request, also of keys, and is in the audit log", async () => {
    const team = await newTeam(db);
    const editor = await newMember(db, team.id, "editor");
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
});

describe("who is removed", () => {
  it("loses the team, its keys, its projects and invitations at once; what the keys started is sent for", async () => {
    const team = await newTeam(db);
    const admin = await newMember(db, team.id, "admin");
    await switchTeam(deps(), team.admin);
    const project = await newProject(db, team.owner);
    const asked = { caller: team.owner.caller, project: project.id, client: CLIENT };
    await addProjectMember(deps(), asked, { userId: admin.id }, "editor");
    const elsewhere = await newKey(admin, admin.personalTeamId);
    const { key, token } = await newKey(admin, team.id);
    await linkBy(admin.member, "admin");
    published.length = 0;

    await remove(team, admin);

    expect(await rolesOf(db, team.id)).toEqual({ [team.owner.id]: "admin" });
    const notFound = { code: "not_found" };
    await expect(requireTeam(database, admin.caller, "team.view", team.slug)).rejects.toMatchObject(notFound);
    const viewed = requireProject(database, admin.caller, project.id, "project.view");
    await expect(viewed).rejects.toMatchObject(notFound);
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
    expect(await db.$count(projectMemberships, eq(projectMemberships.userId, admin.id))).toBe(0);
    expect(await listInvitations(database, team.id)).toEqual([]);
    const by = { userId: team.owner.id };
    expect(await entriesOf(team.id)).toEqual(
      expect.arrayContaining([
        { ...by, action: "member.removed", resourceId: admin.id, details: { role: "admin" } },
        { ...by, action: "api_key.revoked", resourceId: key.id, details: { reason: "member.removed" } },
      ]),
    );
  });

  it("keeps nothing that was made for them at that very moment", async () => {
    for (let round = 1; round <= RACES; round += 1) {
      const team = await newTeam(db);
      const editor = await newMember(db, team.id, "editor");
      await switchTeam(deps(), team.admin);
      const { id } = await newProject(db, team.owner);
      await switchTeam(deps(), editor.member);
      const asked = { caller: team.owner.caller, project: id, client: CLIENT };
      const makingKeys = Array.from({ length: 4 }, () => newApiKey(db, editor));
      // The keys are about to be stored when the removal comes.
      await requireTeam(database, editor.caller, "team.view");
      const { refused } = await allAtOnce<unknown>([
        ...makingKeys,
        switchTeam(deps(), editor.member),
        addProjectMember(deps(), asked, { email: editor.email.toUpperCase() }, "admin"),
        remove(team, editor),
        switchTeam(deps(), editor.member),
      ]);
      for (const reason of refused) expect(reason).toMatchObject({ code: "not_found" });
      const live = and(eq(externalApiKeys.teamId, team.id), eq(externalApiKeys.isActive, true));
      const [account] = await db.select().from(users).where(eq(users.id, editor.id));
      const left = [await db.$count(externalApiKeys, live), account?.defaultTeamId];
      expect(left).toEqual([0, editor.personalTeamId]);
      expect(await db.$count(projectMemberships, eq(projectMemberships.projectId, id))).toBe(0);
    }
  });

  it("does not come back by a link of the team, unless they left by themselves; their keys never do", async () => {
    const team = await newTeam(db);
    const [removed, left] = [await newMember(db, team.id, "editor"), await newMember(db, team.id, "editor")];
    const link = await linkBy(team.admin);
    const { token } = await newKey(left, team.id);
    await leave(left);
    expect(published).toContainEqual({ function: "stop-tasks", payload: { userId: left.id } });
    const entry = expect.objectContaining({ action: "member.left", userId: left.id });
    expect(await entriesOf(team.id)).toContainEqual(entry);
    await come(left, link);
    await expect(authenticateKey(database, token)).rejects.toMatchObject({ code: "unauthenticated" });
    await remove(team, removed);
    await expect(come(removed, link)).rejects.toMatchObject({ code: "gone" });
  });

  it("a demoted member cannot use an earlier link to a higher role", async () => {
    const team = await newTeam(db);
    const editor = await newMember(db, team.id, "editor");
    const [more, same] = [await linkBy(team.admin, "editor"), await linkBy(team.admin)];
    await change(team, editor, "viewer");
    await leave(editor);
    await expect(come(editor, more)).rejects.toMatchObject({ code: "gone" });
    await come(editor, same);
  });

  it("a disabled administrator's link lets no guest in until the administrator is enabled again", async () => {
    const team = await newTeam(db);
    const [link, guest] = [await linkBy(team.admin), await newColleague(db)];
    const setActive = (isActive: boolean) =>
      db.update(users).set({ isActive }).where(eq(users.id, team.owner.id));
    await setActive(false);
    await expect(come(guest, link)).rejects.toMatchObject({ code: "gone" });
    await setActive(true);
    await come(guest, link);
  });

  it("is removed once; no stranger is, nor a name that is no id", async () => {
    const team = await newTeam(db);
    const editor = await newMember(db, team.id, "editor");
    const { refused } = await allAtOnce<unknown>([remove(team, editor), remove(team, editor), leave(editor)]);
    expect(refused).toEqual([noMember, noMember]);
    const entries = (await entriesOf(team.id)).filter(({ action }) =>
      /^member\.(?:left|removed)$/u.test(action),
    );
    expect(entries).toHaveLength(1);
    for (const id of [(await newColleague(db)).id, "a\0b"]) {
      await expect(changeRole(deps(), team.admin, id, "viewer", CLIENT)).rejects.toEqual(noMember);
      await expect(removeMember(deps(), team.admin, id, CLIENT)).rejects.toEqual(noMember);
    }
  });
});
