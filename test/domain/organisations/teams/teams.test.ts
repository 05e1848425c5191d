import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { auditLog, projects, teams, users } from "#src/db/schema/index.ts";
import { createProject } from "#src/domain/workspaces/projects/index.ts";
import {
  createTeam,
  deleteTeam,
  listTeams,
  requireTeam,
  switchTeam,
  updateTeam,
} from "#src/domain/organisations/teams/index.ts";
import { openDatabase } from "#test/support/database.ts";
import { CLIENT, CREDITS } from "#test/support/people.ts";
import { asMember, newColleague, newMember, newTeam } from "#test/support/colleagues.ts";
import { RACES } from "#test/support/races.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(async () => {
  await database.close();
});

const aProject = { name: "app", description: "", sourceType: "empty" } as const;
const taken = expect.objectContaining({ code: "conflict", message: "This slug is taken: choose another" });
const reserved = expect.objectContaining({ code: "invalid_input" });

const defaultTeamOf = async (userId: string) =>
  (await database.db.select().from(users).where(eq(users.id, userId)))[0]?.defaultTeamId;

describe("a new team", () => {
  it("has its maker as its administrator, and a slug from its name", async () => {
    const { caller, id, personalTeamId } = await newColleague(database.db);
    const made = await createTeam({ ...database, config: CREDITS }, caller, { name: "Büro & Co" }, CLIENT);
    expect(made.team.slug).toMatch(/^bro-co-[0-9a-z]{6}$/u);
    expect(made).toMatchObject({ role: "admin", team: { createdBy: id, isPersonal: false } });
    expect((await listTeams(database, id)).map(({ team }) => team.id)).toEqual([
      personalTeamId,
      made.team.id,
    ]);
    const [entry] = await database.db.select().from(auditLog).where(eq(auditLog.teamId, made.team.id));
    expect(entry).toMatchObject({ action: "team.created", userId: id });
  });

  it("of one slug is made once, however many ask for it at once", async () => {
    const slug = `one-${crypto.randomUUID()}`;
    const people = await Promise.all(Array.from({ length: 5 }, () => newColleague(database.db)));
    const outcomes = await Promise.allSettled(
      people.map(({ caller }) =>
        createTeam({ ...database, config: CREDITS }, caller, { name: "One", slug }, CLIENT),
      ),
    );
    const refused = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    expect(refused).toEqual(Array.from({ length: 4 }, () => taken));
    expect(await database.db.select().from(teams).where(eq(teams.slug, slug))).toHaveLength(1);
  });

  it("cannot have a reserved word as its address", async () => {
    const { caller } = await newColleague(database.db);
    await expect(
      createTeam({ ...database, config: CREDITS }, caller, { name: "x", slug: "invitations" }, CLIENT),
    ).rejects.toEqual(reserved);
    const { admin } = await newTeam(database.db);
    await expect(updateTeam(database, admin, { slug: "invitations" }, CLIENT)).rejects.toEqual(reserved);
  });
});

describe("a team", () => {
  it("is found by members under its slug, and not under an invalid one", async () => {
    const team = await newTeam(database.db);
    const stranger = await newColleague(database.db);
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
    const { admin, slug } = await newTeam(database.db);
    const avatarUrl = "https://example.com/a.png";
    const changed = await updateTeam(database, admin, { name: "New", avatarUrl }, CLIENT);
    expect(changed).toMatchObject({ role: "admin", team: { name: "New", slug, avatarUrl } });
    const back = await updateTeam(database, admin, { avatarUrl: null, name: undefined }, CLIENT);
    expect(back.team).toMatchObject({ name: "New", avatarUrl: null });
    expect((await updateTeam(database, admin, {}, CLIENT)).team).toEqual(back.team);
  });

  it("cannot take another's slug", async () => {
    const [one, two] = [await newTeam(database.db), await newTeam(database.db)];
    await expect(updateTeam(database, one.admin, { slug: two.slug }, CLIENT)).rejects.toEqual(taken);
    expect((await updateTeam(database, one.admin, { slug: one.slug }, CLIENT)).team.slug).toBe(one.slug);
  });
});

describe("deleting a team", () => {
  it("sends its members back to their own, and is in the audit log of the person who did it", async () => {
    const team = await newTeam(database.db);
    const viewer = await newMember(database.db, team.id, "viewer");
    await switchTeam(database, team.admin);
    await switchTeam(database, viewer.member);
    expect(await defaultTeamOf(viewer.id)).toBe(team.id);
    await deleteTeam(database, team.admin, CLIENT);
    expect(await listTeams(database, viewer.id)).toHaveLength(1);
    expect(await defaultTeamOf(viewer.id)).toBe(viewer.personalTeamId);
    expect(await defaultTeamOf(team.owner.id)).toBe(team.owner.personalTeamId);
    const log = await database.db
      .select()
      .from(auditLog)
      .where(eq(auditLog.teamId, team.owner.personalTeamId));
    expect(log).toContainEqual(expect.objectContaining({ action: "team.deleted", resourceId: team.id }));
    await expect(deleteTeam(database, team.admin, CLIENT)).rejects.toMatchObject({ code: "not_found" });
  });

  it("is refused for a personal one and for one with projects", async () => {
    const team = await newTeam(database.db);
    const own = asMember(team.owner, team.owner.personalTeamId, "admin");
    await expect(deleteTeam(database, own, CLIENT)).rejects.toMatchObject({ code: "invalid_input" });
    await switchTeam(database, team.admin);
    await createProject(database, team.owner.caller, aProject);
    await expect(deleteTeam(database, team.admin, CLIENT)).rejects.toMatchObject({
      code: "conflict",
      message: "The team has projects: move or delete them first",
    });
    expect(await defaultTeamOf(team.owner.id)).toBe(team.id);
  });

  it("never takes a project along that is made at that moment", async () => {
    for (let round = 1; round <= RACES; round += 1) {
      const team = await newTeam(database.db);
      await switchTeam(database, team.admin);
      const making = Array.from({ length: 8 }, () => createProject(database, team.owner.caller, aProject));
      // The projects are about to be stored when the deletion comes.
      await requireTeam(database, team.owner.caller, "team.view");
      const [deleted, ...outcomes] = await Promise.allSettled([
        deleteTeam(database, team.admin, CLIENT),
        ...making,
      ]);
      const made = outcomes.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      const refused = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
      // A project that came too late was refused, or was made in the personal team.
      const inTeam = made.filter(({ teamId }) => teamId === team.id).map(({ id }) => id);
      expect(refused.map(({ code }) => code)).toEqual(refused.map(() => "not_found"));
      const left = await database.db.select().from(projects).where(eq(projects.teamId, team.id));
      expect(new Set(left.map(({ id }) => id))).toEqual(new Set(inTeam));
      expect(deleted?.status).toBe(inTeam.length > 0 ? "rejected" : "fulfilled");
    }
  });

  it("waits for a project that is being stored, and is refused for it", async () => {
    const { db } = database;
    const team = await newTeam(db);
    const row = { id: crypto.randomUUID(), teamId: team.id, ownerId: team.owner.id };
    let stored = false;
    const storing = db
      .batch([
        db.insert(projects).values({ ...row, ...aProject, slug: row.id, status: "stopped" }),
        // Holds the transaction open.
        db.execute(sql`SELECT pg_sleep(1)`),
      ])
      .finally(() => (stored = true));
    const isHeld = sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep(1)%' AND state = 'active'`;
    await vi.waitUntil(async () => (await db.execute(isHeld)).rows.length > 0 || stored);
    await expect(deleteTeam(database, team.admin, CLIENT)).rejects.toMatchObject({ code: "conflict" });
    await storing;
    expect(await db.select().from(projects).where(eq(projects.teamId, team.id))).toHaveLength(1);
  });
});

describe("switching", () => {
  it("makes a team the one that new projects are made in, for members only", async () => {
    const team = await newTeam(database.db);
    const editor = await newMember(database.db, team.id, "editor");
    expect(await switchTeam(database, editor.member)).toEqual({ defaultTeamId: team.id, themePreset: null });
    expect(await createProject(database, editor.caller, aProject)).toMatchObject({ teamId: team.id });
    const stranger = await newColleague(database.db);
    await expect(switchTeam(database, asMember(stranger, team.id, "viewer"))).rejects.toMatchObject({
      code: "not_found",
    });
    expect(await defaultTeamOf(stranger.id)).toBe(stranger.personalTeamId);
  });
});
