import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { adminActions, auditLog, teams } from "#src/db/schema/index.ts";
import { adjustCredits } from "#src/domain/administration/accounts/index.ts";
import { newAdministrator } from "#test/support/administrators.ts";
import { timesAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import { newPerson } from "#test/support/people.ts";
import { onlyCredits } from "#test/support/proxy-client.ts";

const database = await fileDatabase();
const { db } = database;
const admin = await newAdministrator(db);

type Person = Awaited<ReturnType<typeof newPerson>>;

const adjust = ({ user }: Person, amount: number, by = admin) =>
  adjustCredits(database, { caller: by.caller, address: "192.0.2.9", reason: "a gift" }, user.id, amount);

const teamOf = async ({ user }: Person) => {
  const [team] = await db.select().from(teams).where(eq(teams.createdBy, user.id));
  return team;
};

/** A person with these credits and no other. */
async function personWith(credits: Partial<typeof teams.$inferInsert>): Promise<Person> {
  const person = await newPerson(db);
  await db
    .update(teams)
    .set({ ...onlyCredits(0), ...credits })
    .where(eq(teams.createdBy, person.user.id));
  return person;
}

describe("adjusting credits", () => {
  it("changes the purchased ones and returns the team's total", async () => {
    const pools = { dailyCredits: 5, bundledCredits: 70, purchasedCredits: 30 };
    const person = await personWith(pools);
    expect(await adjust(person, 500)).toEqual({ oldBalance: 105, newBalance: 605 });
    expect(await adjust(person, -530)).toEqual({ oldBalance: 605, newBalance: 75 });
    expect(await teamOf(person)).toMatchObject({ ...pools, purchasedCredits: 0 });
  });

  it("is exact when eight come at once", async () => {
    const person = await personWith({ purchasedCredits: 1000 });
    const outcomes = await Promise.all(
      [7, -4, 9, -6, 11, -8, 13, -10].map((amount) => adjust(person, amount)),
    );
    expect((await teamOf(person))?.purchasedCredits).toBe(1012);
    // Each began where another had ended.
    const ends = [1000, ...outcomes.map(({ newBalance }) => newBalance)];
    const begins = [...outcomes.map(({ oldBalance }) => oldBalance), 1012];
    expect(new Set(begins)).toEqual(new Set(ends));
  });

  it("leaves no negative balance, also with adjustments at once", async () => {
    const person = await personWith({ purchasedCredits: 50 });
    const { refused } = await timesAtOnce(3, () => adjust(person, -30));
    const refusal = { code: "invalid_input", message: expect.stringContaining("purchased") };
    expect(refused).toMatchObject([refusal, refusal]);
    expect((await teamOf(person))?.purchasedCredits).toBe(20);
  });

  it("refuses a balance beyond the largest integer", async () => {
    const person = await personWith({ purchasedCredits: 2_147_483_000 });
    await expect(adjust(person, 1000)).rejects.toMatchObject({ code: "invalid_input" });
    expect(await adjust(person, 647)).toMatchObject({ newBalance: 2_147_483_647 });
  });

  it("is noted where it happened, and not where it did not", async () => {
    const person = await newPerson(db);
    await adjust(person, 10);
    await expect(adjust(person, -11)).rejects.toMatchObject({ code: "invalid_input" });
    const details = { adjustment: 10 };
    const noted = await db.select().from(adminActions).where(eq(adminActions.targetId, person.user.id));
    expect(noted).toMatchObject([{ actionType: "credits.adjusted", reason: "a gift", details }]);
    const own = await db.select().from(auditLog).where(eq(auditLog.resourceId, person.user.id));
    expect(own).toMatchObject([{ action: "credits.adjusted", details }]);
  });

  it("is refused for an administrator who has lost the role since the request was admitted", async () => {
    const person = await newPerson(db);
    const pretender = { ...person, caller: { ...person.caller, isSuperuser: true } };
    await expect(adjust(person, 10, pretender)).rejects.toMatchObject({ code: "forbidden" });
    expect((await teamOf(person))?.purchasedCredits).toBe(0);
  });
});
