import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { teams, users } from "#src/db/schema/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import {
  createTeam,
  deleteTeam,
  listTeams,
  requireTeam,
  switchTeam,
  updateTeam,
} from "#src/domain/organisations/teams/index.ts";
import { auditEntries } from "#test/domain/access/support/audit-entries.ts";
import { allAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import { holdOpen, onlyEmbedded, untilWaiting } from "#test/support/held-open.ts";
import { CLIENT, CREDITS } from "#test/support/people.ts";
import { asMember, newColleague, newMember, newProject, newTeam } from "#test/support/colleagues.ts";

const database = await fileDatabase();
const { db } = database;

const taken = expect.objectContaining({ code: "conflict", message: "This slug is taken: choose another" });
const reserved = expect.objectContaining({ code: "invalid_input" });

const create = (caller: UserCaller, wish: { name: string; slug?: string }) =>
  createTeam({ db, config: CREDITS }, caller, wish, CLIENT);

const defaultTeamOf = async (userId: string) =>
  (await db.select().from(users).where(eq(users.id, userId)))[0]?.defaultTeamId;

describe("a new team", () => {
  it("has its maker as its administrator, and a slug from its name", async () => {
    const { caller, id, personalTeamId } = await newColleague(db);
    const made = await create(caller, { name: "Büro & Co" });
    expect(made.team.slug).toMatch(/^bro-co-[0-9a-z]{6}$/u);
    expect(made).toMatchObject({ role: "admin", team: { createdBy: id, isPersonal: false } });
    expect((await listTeams(database, id)).map(({ team }) => team.id)).toEqual([
      personalTeamId,
      made.team.id,
    ]);
    const [entry] = await auditEntries(db, { teamId: made.team.id });
    expect(entry).toMatchObject({ action: "team.created", userId: id });
  });

  it("of one slug is made once, however many ask for it at once", async () => {
    const slug = `one-${crypto.randomUUID()}`;
    const people = await Promise.all(Array.from({ length: 5 }, () => newColleague(db)));
    const { refused } = await allAtOnce(people.map(({ caller }) => create(caller, { name: "One", slug })));
    expect(refused).toEqual(Array.from({ length: 4 }, () => taken));
    expect(await db.$count(teams, eq(teams.slug, slug))).toBe(1);
  });

  it("cannot have a reserved word as its address", async () => {
    const { admin, owner } = await newTeam(db);
    const slug = "invitations";
    await expect(create(owner.caller, { name: "x", slug })).rejects.toEqual(reserved);
    await expect(updateTeam(database, admin, { slug }, CLIENT)).rejects.toEqual(reserved);
  });
});

describe("a team", () => {
  it("is found by members under its slug, and not under an invalid one", async () => {
    const team = await newTeam(db);
    const stranger = await newColleague(db);
    const view = (caller = team.owner.caller, slug = team.slug) =>
      requireTeam(database, caller, "team.view", slug);
    expect(await view()).toEqual({ teamId: team.id, role: "admin" });
    for (const [caller, slug] of [
      [stranger.caller, team.slug],
      [team.owner.caller, "a\0b"],
      [team.owner.caller, "x".repeat(5000)],
    ] as const) {
      await expect(view(caller, slug)).rejects.toMatchObject({
        code: "not_found",
        message: "Team not found",
      });
    }
  });

  it("changes the given fields and leaves the rest", async () => {
    const { admin, slug } = await newTeam(db);
    const avatarUrl = "https://example.com/a.png";
    const changed = await updateTeam(database, admin, { name: "New", avatarUrl }, CLIENT);
    expect(changed).toMatchObject({ role: "admin", team: { name: "New", slug, avatarUrl } });
    const back = await updateTeam(database, admin, { avatarUrl: null, name: undefined }, CLIENT);
    expect(back.team).toMatchObject({ name: "New", avatarUrl: null });
    expect((await updateTeam(database, admin, {}, CLIENT)).team).toEqual(back.team);
  });

  it("cannot take another's slug", async () => {
    const [one, two] = [await newTeam(db), await newTeam(db)];
    await expect(updateTeam(database, one.admin, { slug: two.slug }, CLIENT)).rejects.toEqual(taken);
    expect((await updateTeam(database, one.admin, { slug: one.slug }, CLIENT)).team.slug).toBe(one.slug);
  });
});

describe("deleting a team", () => {
  it("sends its members back to their own, and is in the audit log of the person who did it", async () => {
    const team = await newTeam(db);
    const viewer = await newMember(db, team.id, "viewer");
    await switchTeam(database, team.admin);
    await switchTeam(database, viewer.member);
    expect(await defaultTeamOf(viewer.id)).toBe(team.id);
    await deleteTeam(database, team.admin, CLIENT);
    expect(await listTeams(database, viewer.id)).toHaveLength(1);
    expect(await defaultTeamOf(viewer.id)).toBe(viewer.personalTeamId);
    expect(await defaultTeamOf(team.owner.id)).toBe(team.owner.personalTeamId);
    const log = await auditEntries(db, { teamId: team.owner.personalTeamId });
    expect(log).toContainEqual(expect.objectContaining({ action: "team.deleted", resourceId: team.id }));
    await expect(deleteTeam(database, team.admin, CLIENT)).rejects.toMatchObject({ code: "not_found" });
  });

  it("is refused for a personal one and for one with projects", async () => {
    const team = await newTeam(db);
    const own = asMember(team.owner, team.owner.personalTeamId, "admin");
    await expect(deleteTeam(database, own, CLIENT)).rejects.toMatchObject({ code: "invalid_input" });
    await switchTeam(database, team.admin);
    await newProject(db, team.owner);
    await expect(deleteTeam(database, team.admin, CLIENT)).rejects.toMatchObject({
      code: "conflict",
      message: "The team has projects: move or delete them first",
    });
    expect(await defaultTeamOf(team.owner.id)).toBe(team.id);
  });

  it.skipIf(onlyEmbedded())("lets no project in that is made at that moment, which is told so", async () => {
    const team = await newTeam(db);
    await switchTeam(database, team.admin);
    const held = await holdOpen(db, db.select().from(teams).where(eq(teams.id, team.id)).for("update"));
    // They take the team's row in this order.
    const deleting = deleteTeam(database, team.admin, CLIENT);
    await untilWaiting(db, 1);
    const making = newProject(db, team.owner).catch((error: unknown) => error);
    await untilWaiting(db, 2);
    await held.release();
    await deleting;
    expect(await making).toMatchObject({ code: "not_found", message: "Team not found" });
  });

  it.skipIf(onlyEmbedded())("waits for a project that is being stored, and is refused for it", async () => {
    const team = await newTeam(db);
    await switchTeam(database, team.admin);
    const held = await holdOpen(db, db.select().from(teams).where(eq(teams.id, team.id)).for("update"));
    const making = newProject(db, team.owner);
    await untilWaiting(db, 1);
    const deleting = deleteTeam(database, team.admin, CLIENT).catch((error: unknown) => error);
    await untilWaiting(db, 2);
    await held.release();
    expect(await making).toMatchObject({ teamId: team.id });
    expect(await deleting).toMatchObject({ code: "conflict" });
  });
});

describe("switching", () => {
  it("makes a team the one that new projects are made in, for members only", async () => {
    const team = await newTeam(db);
    const editor = await newMember(db, team.id, "editor");
    expect(await switchTeam(database, editor.member)).toEqual({ defaultTeamId: team.id, themePreset: null });
    expect(await newProject(db, editor)).toMatchObject({ teamId: team.id });
    const stranger = await newColleague(db);
    await expect(switchTeam(database, asMember(stranger, team.id, "viewer"))).rejects.toMatchObject({
      code: "not_found",
    });
    expect(await defaultTeamOf(stranger.id)).toBe(stranger.personalTeamId);
  });
});
