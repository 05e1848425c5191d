import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminActions, auditLog, teams } from "#src/db/schema/index.ts";
import { adjustCredits } from "#src/domain/operations/admin/index.ts";
import { newAdministrator } from "#test/support/administrators.ts";
import { openDatabase } from "#test/support/database.ts";
import { newPerson } from "#test/support/people.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let admin: Awaited<ReturnType<typeof newPerson>>;
beforeAll(async () => {
  database = await openDatabase();
  admin = await newAdministrator(database.db);
});
afterAll(async () => {
  await database.close();
});

type Person = Awaited<ReturnType<typeof newPerson>>;

const adjust = ({ user }: Person, amount: number, by = admin) =>
  adjustCredits(database, { caller: by.caller, address: "192.0.2.9", reason: "a gift" }, user.id, amount);

const teamOf = async ({ user }: Person) => {
  const [team] = await database.db.select().from(teams).where(eq(teams.createdBy, user.id));
  return team;
};

/** A person without a credit. */
async function poorPerson(): Promise<Person> {
  const person = await newPerson(database.db);
  const none = { dailyCredits: 0, bundledCredits: 0, signupBonusCredits: 0, purchasedCredits: 0 };
  await database.db.update(teams).set(none).where(eq(teams.createdBy, person.user.id));
  return person;
}

describe("adjusting credits", () => {
  it("changes the purchased ones and returns the team's total", async () => {
    const person = await newPerson(database.db);
    await database.db
      .update(teams)
      .set({ dailyCredits: 5, bundledCredits: 70, signupBonusCredits: 100, purchasedCredits: 30 })
      .where(eq(teams.createdBy, person.user.id));
    expect(await adjust(person, 500)).toEqual({ oldBalance: 205, newBalance: 705 });
    expect(await adjust(person, -530)).toEqual({ oldBalance: 705, newBalance: 175 });
    expect(await teamOf(person)).toMatchObject({ dailyCredits: 5, bundledCredits: 70, purchasedCredits: 0 });
  });

  it("is exact when eight come at once", async () => {
    const person = await poorPerson();
    await adjust(person, 1000);
    const amounts = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? 7 + index : -3 - index));
    const outcomes = await Promise.all(amounts.map((amount) => adjust(person, amount)));
    const sum = amounts.reduce((total, amount) => total + amount, 0);
    expect((await teamOf(person))?.purchasedCredits).toBe(1000 + sum);
    // Each began where another had ended.
    const ends = [1000, ...outcomes.map(({ newBalance }) => newBalance)];
    const begins = [...outcomes.map(({ oldBalance }) => oldBalance), 1000 + sum];
    expect(new Set(begins)).toEqual(new Set(ends));
  });

  it("leaves no negative balance, also with adjustments at once", async () => {
    const person = await newPerson(database.db);
    await adjust(person, 50);
    const outcomes = await Promise.allSettled([
      adjust(person, -30),
      adjust(person, -30),
      adjust(person, -30),
    ]);
    const refused = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    expect(refused).toEqual(
      Array.from({ length: 2 }, () =>
        expect.objectContaining({ code: "invalid_input", message: expect.stringContaining("purchased") }),
      ),
    );
    expect((await teamOf(person))?.purchasedCredits).toBe(20);
  });

  it("refuses a balance beyond the largest integer", async () => {
    const person = await poorPerson();
    await database.db
      .update(teams)
      .set({ purchasedCredits: 2_147_483_000 })
      .where(eq(teams.createdBy, person.user.id));
    await expect(adjust(person, 1000)).rejects.toMatchObject({ code: "invalid_input" });
    expect(await adjust(person, 647)).toEqual({ oldBalance: 2_147_483_000, newBalance: 2_147_483_647 });
  });

  it("is noted where it happened, and not where it did not", async () => {
    const person = await newPerson(database.db);
    await adjust(person, 10);
    await expect(adjust(person, -11)).rejects.toMatchObject({ code: "invalid_input" });
    const noted = await database.db
      .select()
      .from(adminActions)
      .where(eq(adminActions.targetId, person.user.id));
    const details = { adjustment: 10 };
    expect(noted).toEqual([
      expect.objectContaining({ actionType: "credits.adjusted", reason: "a gift", details }),
    ]);
    const own = await database.db.select().from(auditLog).where(eq(auditLog.resourceId, person.user.id));
    expect(own).toEqual([expect.objectContaining({ action: "credits.adjusted", details })]);
  });

  it("is refused for an administrator who has lost the role since the request was admitted", async () => {
    const person = await newPerson(database.db);
    const pretender = { ...person, caller: { ...person.caller, isSuperuser: true } };
    await expect(adjust(person, 10, pretender)).rejects.toMatchObject({ code: "forbidden" });
    expect((await teamOf(person))?.purchasedCredits).toBe(0);
  });
});
