import { readFileSync } from "node:fs";
import { eq } from "drizzle-orm";
import { expect, it, vi } from "vitest";
import { runCron } from "#functions/cron.ts";
import { creditReservations, teams } from "#src/db/schema/index.ts";
import { reserveCredits } from "#src/domain/metering/credits/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Services } from "#src/services.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { openDatabase } from "#test/support/database.ts";

/** A job that reads a service proves that the expression has a job. */
const without = (services: object) =>
  new Proxy<Services>(Object.assign(Object.create(null), services), {
    get(target, name) {
      if (name in target) return Reflect.get(target, name);
      throw new Error("A job began");
    },
  });

const [, list = "[]"] = /^crons = (\[.*\])$/mu.exec(readFileSync("wrangler.toml", "utf8")) ?? [];
const expressions: string[] = JSON.parse(list);

it("each cron expression of wrangler.toml has a job, and no other has one", async () => {
  expect(expressions.length).toBeGreaterThan(0);
  for (const expression of expressions)
    await expect(runCron(without({}), expression)).rejects.toThrow("A job began");
  await expect(runCron(without({}), "1 2 3 4 5")).rejects.toThrow("No job");
});

it("each minute, what a crash left reserved is free again once it has expired", async () => {
  const database = await openDatabase();
  const { db } = database;
  const { personalTeamId: teamId } = await newColleague(db);
  await db.update(teams).set({ purchasedCredits: 50 }).where(eq(teams.id, teamId));
  const reserved = async () =>
    (await db.select().from(teams).where(eq(teams.id, teamId)))[0]?.reservedCredits;
  expect(await reserveCredits(db, { id: newId(), teamId, task: null, least: 5, most: 5 })).toBe(5);
  expect(await reserved()).toBe(5);
  await db.update(creditReservations).set({ expiresAt: new Date(0) });
  // The other jobs of the minute find nothing that they need.
  await expect(runCron(without({ db }), "* * * * *")).rejects.toThrow("A job began");
  await vi.waitFor(async () => expect(await reserved()).toBe(0));
  await database.close();
});
