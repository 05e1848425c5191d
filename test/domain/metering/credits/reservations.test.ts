import { eq, sql } from "drizzle-orm";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lockTeam } from "#src/db/locks.ts";
import { creditReservations, teams, usageLogs } from "#src/db/schema/index.ts";
import { releaseExpired, releaseReservation, reserveCredits } from "#src/domain/metering/credits/index.ts";
import { insertCallOfTeam } from "#src/domain/metering/usage/index.ts";
import { newId } from "#src/lib/ids.ts";
import { CALL } from "#test/domain/metering/support/model-call.ts";
import { type Colleague, newColleague } from "#test/support/colleagues.ts";
import { holdOpen, onlyEmbedded, untilWaiting } from "#test/support/held-open.ts";
import { fileDatabase } from "#test/support/database.ts";
import { onlyCredits } from "#test/support/proxy-client.ts";
import { IS_SOAK } from "#test/support/soak.ts";

const database = await fileDatabase();
const { db } = database;

/** A person whose team has so many purchased credits and no other. */
async function someoneWith(credits: number, more: object = {}): Promise<Colleague> {
  const person = await newColleague(db);
  await db
    .update(teams)
    .set({ ...onlyCredits(credits), ...more })
    .where(eq(teams.id, person.personalTeamId));
  return person;
}

const reserve = (person: Colleague, id: string, { least, most }: { least: number; most: number }) =>
  reserveCredits(db, { id, teamId: person.personalTeamId, task: null, least, most });

const settle = ({ id: userId, personalTeamId: teamId }: Colleague, reservation: string, cents: number) =>
  insertCallOfTeam(db, { userId, teamId }, { ...CALL, cost: { input: cents, output: 0 }, reservation });

const expire = (id: string) =>
  db
    .update(creditReservations)
    .set({ expiresAt: sql`now() - interval '1 second'` })
    .where(eq(creditReservations.id, id));

/** A team's credits, the reserved part by its counter and by the rows, and what its calls cost and were charged. */
async function booksOf({ personalTeamId: teamId }: Colleague) {
  const [[team], held, calls] = await Promise.all([
    db.select().from(teams).where(eq(teams.id, teamId)),
    db.select().from(creditReservations).where(eq(creditReservations.teamId, teamId)),
    db.select().from(usageLogs).where(eq(usageLogs.teamId, teamId)),
  ]);
  if (!team) throw new Error("The team is gone");
  return {
    left: team.dailyCredits + team.bundledCredits + team.signupBonusCredits + team.purchasedCredits,
    least: Math.min(team.dailyCredits, team.bundledCredits, team.signupBonusCredits, team.purchasedCredits),
    reserved: team.reservedCredits,
    held: held.reduce((sum, { credits }) => sum + credits, 0),
    cost: calls.reduce((sum, { costTotal }) => sum + costTotal, 0),
    taken: calls.reduce((sum, { creditsDeducted }) => sum + creditsDeducted, 0),
    calls: calls.length,
  };
}

const whole = { least: 2, most: 50 };

describe("a reservation", () => {
  it("covers the call's maximum cost, or the credits left beside other reservations, or is refused", async () => {
    const person = await someoneWith(60);
    expect(await reserve(person, newId(), whole)).toBe(50);
    expect(await reserve(person, newId(), whole)).toBe(10);
    expect(await reserve(person, newId(), whole)).toBe(0);
    expect(await booksOf(person)).toMatchObject({ left: 60, reserved: 60, held: 60 });
  });

  it("comes in the place of an earlier one of the same id", async () => {
    const person = await someoneWith(60);
    const id = newId();
    expect(await reserve(person, id, whole)).toBe(50);
    expect(await reserve(person, id, { least: 55, most: 55 })).toBe(55);
    expect(await booksOf(person)).toMatchObject({ reserved: 55, held: 55 });
    // A new reservation under the same id releases the old one, also when the new one is refused.
    expect(await reserve(person, id, { least: 61, most: 61 })).toBe(0);
    expect(await booksOf(person)).toMatchObject({ left: 60, reserved: 0, held: 0 });
  });

  it("is of all pools that can be spent, not of a bonus that has expired", async () => {
    const pools = { dailyCredits: 1, bundledCredits: 2, signupBonusCredits: 4 };
    const over = { ...pools, signupBonusExpiresAt: sql`now() - interval '1 second'` };
    expect(await reserve(await someoneWith(8, pools), newId(), whole)).toBe(15);
    expect(await reserve(await someoneWith(8, over), newId(), whole)).toBe(11);
  });

  it("is released by the charge of any amount, and only once", async () => {
    const person = await someoneWith(60);
    const [first, second] = [newId(), newId()];
    await reserve(person, first, { least: 2, most: 20 });
    await reserve(person, second, { least: 2, most: 20 });
    expect(await settle(person, first, 3)).toMatchObject({ deducted: 3, balance: 57 });
    expect(await booksOf(person)).toMatchObject({ left: 57, reserved: 20, held: 20 });
    await Promise.all([
      releaseReservation(db, person.personalTeamId, first),
      releaseReservation(db, person.personalTeamId, second),
      releaseReservation(db, person.personalTeamId, second),
    ]);
    expect(await booksOf(person)).toMatchObject({ left: 57, reserved: 0, held: 0 });
    // A charge of zero releases the reservation, too.
    await reserve(person, first, whole);
    expect(await settle(person, first, 0)).toMatchObject({ deducted: 0 });
    expect(await booksOf(person)).toMatchObject({ left: 57, reserved: 0, held: 0 });
  });

  it("that a crash left is free again within ten minutes, and a charge that comes later is not lost", async () => {
    const person = await someoneWith(50);
    const crashed = newId();
    expect(await reserve(person, crashed, whole)).toBe(50);
    const [row] = await db.select().from(creditReservations).where(eq(creditReservations.id, crashed));
    // A sweep comes each minute, and may find the team locked.
    if (!row) throw new Error("Nothing is reserved");
    expect(row.expiresAt.getTime() - row.createdAt.getTime()).toBeLessThanOrEqual(8 * 60_000);
    await releaseExpired(database);
    expect(await booksOf(person)).toMatchObject({ left: 50, reserved: 50, held: 50 });
    await expire(crashed);
    await Promise.all([releaseExpired(database), releaseExpired(database)]);
    expect(await booksOf(person)).toMatchObject({ left: 50, reserved: 0, held: 0 });
    expect(await reserve(person, newId(), { least: 40, most: 40 })).toBe(40);
    expect(await settle(person, crashed, 30)).toMatchObject({ deducted: 30, balance: 20 });
    expect(await booksOf(person)).toMatchObject({ left: 20, reserved: 40, held: 40, cost: 30, taken: 30 });
  });
});

/** Begins all of this while the team's row is locked, so that each sees the database as it was before the others. */
async function afterWaiting<T>(person: Colleague, work: readonly (() => Promise<T>)[]): Promise<T[]> {
  const held = await holdOpen(db, lockTeam(db, person.personalTeamId));
  const done = Promise.all(work.map((each) => each()));
  await untilWaiting(db, work.length);
  await held.release();
  return done;
}

describe.skipIf(onlyEmbedded())("those who waited for the team's row", () => {
  it("reserve no credits that another of them has reserved", async () => {
    const person = await someoneWith(10);
    const wish = () => reserve(person, newId(), { least: 8, most: 8 });
    const reserved = await afterWaiting(person, [wish, wish, wish, wish]);
    expect(reserved.reduce((sum, each) => sum + each, 0)).toBe(8);
    expect(await booksOf(person)).toMatchObject({ left: 10, reserved: 8, held: 8 });
  });

  it("release what another of them has released or charged once", async () => {
    const person = await someoneWith(30);
    const [first, second] = [newId(), newId()];
    for (const id of [first, second]) await reserve(person, id, { least: 10, most: 10 });
    const release = () => releaseReservation(db, person.personalTeamId, first);
    await afterWaiting<unknown>(person, [release, () => settle(person, first, 4), release]);
    expect(await booksOf(person)).toMatchObject({ left: 26, cost: 4, reserved: 10, held: 10 });
  });
});

/** How a call goes on after its reservation. */
const fate = fc.constantFrom("settles", "settles", "settles", "is released", "crashes", "asks again");
const call = fc.record({
  least: fc.integer({ min: 1, max: 4 }),
  more: fc.integer({ min: 0, max: 12 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  fate,
});
const thirty = fc.array(call, { minLength: 30, maxLength: 30 });
const pools = fc.tuple(fc.nat(5), fc.nat(20), fc.nat(40), fc.nat(40));

describe("thirty calls at once", () => {
  it("never cost more than there is, and every cent is accounted for", async () => {
    await fc.assert(
      fc.asyncProperty(
        thirty,
        pools,
        async (calls, [dailyCredits, bundledCredits, signupBonusCredits, bought]) => {
          const all = dailyCredits + bundledCredits + signupBonusCredits + bought;
          const person = await someoneWith(bought, { dailyCredits, bundledCredits, signupBonusCredits });
          const sweeps = Array.from({ length: 5 }, () => releaseExpired(database));
          const made = calls.map(async ({ least, more, share, fate: end }) => {
            const id = newId();
            const wish = { least, most: least + more };
            let granted = await reserve(person, id, wish);
            if (end === "asks again") granted = await reserve(person, id, wish);
            if (granted === 0) return;
            expect(granted).toBeGreaterThanOrEqual(least);
            if (end === "is released") return releaseReservation(db, person.personalTeamId, id);
            if (end === "crashes") return void (await expire(id));
            const cost = Math.max(1, Math.floor(granted * share));
            expect(await settle(person, id, cost)).toMatchObject({ deducted: cost });
          });
          await Promise.all([...made, ...sweeps]);
          const books = await booksOf(person);
          expect(books.cost).toBeLessThanOrEqual(all);
          expect([books.taken, books.left]).toEqual([books.cost, all - books.cost]);
          expect(books.least).toBeGreaterThanOrEqual(0);
          expect(books.reserved).toBe(books.held);
          await releaseExpired(database);
          expect(await booksOf(person)).toMatchObject({ ...books, reserved: 0, held: 0 });
        },
      ),
      { numRuns: IS_SOAK ? 20 : 1 },
    );
  });
});
