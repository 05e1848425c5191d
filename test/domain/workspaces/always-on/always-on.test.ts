import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { billingVariables } from "#src/configuration/variables/billing.ts";
import { creditVariables } from "#src/configuration/variables/credits.ts";
import { projects as projectRows, teams } from "#src/db/schema/index.ts";
import { endAlwaysOn, makeAlwaysOn, readDeployLimits } from "#src/domain/workspaces/always-on/index.ts";
import { auditEntries } from "#test/domain/access/support/audit-entries.ts";
import { type Colleague, newColleague, newMember, newProject } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { CLIENT } from "#test/support/people.ts";

const database = await fileDatabase();

/** With every default. */
const config = z.object({ ...billingVariables, ...creditVariables }).parse({});
const published: unknown[] = [];
const deps = {
  db: database.db,
  queue: { publish: async (message: unknown) => void published.push(message) },
  modelSettings: { byokTiers: [] },
  config,
};

const switchOn = ({ caller }: Colleague, project: string) => makeAlwaysOn(deps, caller, project, CLIENT);
const switchOff = ({ caller }: Colleague, project: string) => endAlwaysOn(deps, caller, project, CLIENT);
const limits = ({ caller }: Colleague) => readDeployLimits(deps, caller);
const change = ({ personalTeamId }: Colleague, values: Partial<typeof teams.$inferInsert>) =>
  database.db.update(teams).set(values).where(eq(teams.id, personalTeamId));

describe("an always-on project", () => {
  it("takes one place, once, and gives it back", async () => {
    const person = await newColleague(database.db);
    const { id } = await newProject(database.db, person);
    await database.db.update(projectRows).set({ status: "hibernated" }).where(eq(projectRows.id, id));
    const first = await switchOn(person, id);
    expect(await switchOn(person, id)).toEqual(first);
    // It is woken.
    const [row] = await database.db.select().from(projectRows).where(eq(projectRows.id, id));
    expect(row).toMatchObject({ wanted: "running" });
    expect(published).toContainEqual(expect.objectContaining({ payload: { key: id } }));
    const projects = { current: 1, max: config.TIER_MAX_PROJECTS_FREE };
    const deploys = { current: 1, included: 1, bought: 0, max: 1 };
    expect(await limits(person)).toEqual({ tier: "free", projects, deploys });
    await switchOff(person, id);
    await switchOff(person, id);
    expect((await limits(person)).deploys.current).toBe(0);
    const entries = await auditEntries(database.db, { userId: person.id });
    expect(entries.map(({ action }) => action)).toEqual(["project.always_on", "project.not_always_on"]);
  });

  it("needs a place of the tier or a bought one, and takes none from what is on", async () => {
    const person = await newColleague(database.db);
    const [first, second] = [await newProject(database.db, person), await newProject(database.db, person)];
    await switchOn(person, first.id);
    await expect(switchOn(person, second.id)).rejects.toMatchObject({
      code: "insufficient_credits",
      status: 402,
      extra: { tier: "free", current: 1, base_max: 1, additional_purchased: 0, effective_max: 1 },
    });
    await change(person, { deploySlots: 1 });
    await switchOn(person, second.id);
    await change(person, { deploySlots: 0 });
    // Above its places, a team keeps what it has.
    expect(await switchOn(person, first.id)).toMatchObject({ projectId: first.id });
    expect((await limits(person)).deploys).toMatchObject({ current: 2, max: 1 });
  });

  it("has the places of its tier", async () => {
    const person = await newColleague(database.db);
    for (const [subscriptionTier, max] of [
      ["free", 1],
      ["basic", 3],
      ["pro", 5],
      ["ultra", 20],
    ] as const) {
      await change(person, { subscriptionTier, deploySlots: 2 });
      expect((await limits(person)).deploys).toMatchObject({ included: max, bought: 2, max: max + 2 });
    }
  });

  it("gets the last place alone, of many requests at once", async () => {
    const person = await newColleague(database.db);
    await change(person, { subscriptionTier: "basic" });
    const made = await Promise.all(Array.from({ length: 6 }, () => newProject(database.db, person)));
    const outcomes = await Promise.allSettled(
      made.flatMap(({ id }) => [switchOn(person, id), switchOn(person, id)]),
    );
    const refused = outcomes.filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(6);
    for (const outcome of refused) {
      expect(outcome).toMatchObject({ reason: { code: "insufficient_credits" } });
    }
    expect((await limits(person)).deploys.current).toBe(3);
  });

  it("is marked by whoever may edit it", async () => {
    const person = await newColleague(database.db);
    const { id, teamId } = await newProject(database.db, person);
    const viewer = await newMember(database.db, teamId, "viewer");
    const stranger = await newColleague(database.db);
    await expect(switchOn(viewer, id)).rejects.toMatchObject({ code: "forbidden" });
    await expect(switchOff(viewer, id)).rejects.toMatchObject({ code: "forbidden" });
    await expect(switchOn(stranger, id)).rejects.toMatchObject({ code: "not_found" });
    const editor = await newMember(database.db, teamId, "editor");
    expect(await switchOn(editor, id)).toMatchObject({ projectId: id });
  });

  it("frees its place when it is deleted", async () => {
    const person = await newColleague(database.db);
    const { id } = await newProject(database.db, person);
    await switchOn(person, id);
    await database.db.delete(projectRows).where(eq(projectRows.id, id));
    await expect(switchOn(person, id)).rejects.toMatchObject({ code: "not_found" });
    expect((await limits(person)).deploys.current).toBe(0);
  });
});
