import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { teams, usageLogs, users } from "#src/db/schema/index.ts";
import { fillPools, grantBonus, isFunded, readBalance } from "#src/domain/metering/credits/index.ts";
import { createTeam } from "#src/domain/organisations/teams/index.ts";
import { insertCallOfTeam, type ModelCall } from "#src/domain/metering/usage/index.ts";
import { costsCredits, parseModelId } from "#src/domain/models/model-keys/index.ts";
import { modelSettings } from "#src/models/settings.ts";
import { CALL } from "#test/domain/metering/support/model-call.ts";
import { type Colleague, newColleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { CLIENT, CREDITS, newPerson } from "#test/support/people.ts";
import { onOneDay } from "#test/support/same-day.ts";
import { onlyCredits } from "#test/support/proxy-client.ts";

const database = await fileDatabase();
const { db } = database;

const config = {
  ...CREDITS,
  TIER_BUNDLED_CREDITS_BASIC: 500,
  TIER_BUNDLED_CREDITS_PRO: 2000,
  TIER_BUNDLED_CREDITS_ULTRA: 8000,
};
const fill = () => fillPools({ db, config });

type Team = typeof teams.$inferSelect;
type Change = { [Column in keyof Team]?: Team[Column] | ReturnType<typeof sql> };

const EMPTY = {
  dailyCredits: 0,
  bundledCredits: 0,
  signupBonusCredits: 0,
  purchasedCredits: 0,
  signupBonusExpiresAt: sql`now() + interval '1 day'`,
};

/** A person whose personal team has these credits and no other. */
async function someone(change: Change): Promise<Colleague> {
  const person = await newColleague(db);
  await db
    .update(teams)
    .set({ ...EMPTY, ...change })
    .where(eq(teams.id, person.personalTeamId));
  return person;
}

async function teamOf({ personalTeamId }: Colleague): Promise<Team> {
  const [team] = await db.select().from(teams).where(eq(teams.id, personalTeamId));
  if (!team) throw new Error("The team is gone");
  return team;
}

async function poolsOf(person: Colleague): Promise<number[]> {
  const { dailyCredits, bundledCredits, signupBonusCredits, purchasedCredits } = await teamOf(person);
  return [dailyCredits, bundledCredits, signupBonusCredits, purchasedCredits];
}

const pay = ({ id: userId, personalTeamId: teamId }: Colleague, cents: number, more?: Partial<ModelCall>) =>
  insertCallOfTeam(db, { userId, teamId }, { ...CALL, cost: { input: cents, output: 0 }, ...more });
const loggedOf = ({ id }: Colleague) => db.select().from(usageLogs).where(eq(usageLogs.userId, id));

const fourPools = { dailyCredits: 5, bundledCredits: 10, signupBonusCredits: 20, purchasedCredits: 40 };

describe("a call takes credits", () => {
  it.each([
    [0, [5, 10, 20, 40]],
    [8, [0, 7, 20, 40]],
    [36, [0, 0, 0, 39]],
    [76, [0, 0, 0, 0]],
  ])("daily, bundled, bonus, bought: for %i cents", async (cost, left) => {
    const person = await someone(fourPools);
    const charged = await pay(person, cost);
    expect(await poolsOf(person)).toEqual(left);
    const taken = Math.min(cost, 75);
    expect(charged).toMatchObject({ deducted: taken, balance: cost === 0 ? null : 75 - taken });
    expect(await loggedOf(person)).toMatchObject([
      {
        costTotal: cost,
        creditsDeducted: taken,
        billedStatus: taken > 0 ? "credited" : "pending",
        teamId: person.personalTeamId,
        purpose: "proxy",
        isByok: false,
      },
    ]);
  });

  it("but none of a bonus that has expired", async () => {
    const person = await someone({ ...fourPools, signupBonusExpiresAt: sql`now() - interval '1 second'` });
    expect(await pay(person, 16)).toMatchObject({ deducted: 16, balance: 39 });
    expect(await poolsOf(person)).toEqual([0, 0, 20, 39]);
  });

  it("but none for a call on a person's own key", async () => {
    const person = await someone(fourPools);
    expect(await pay(person, 16, { isByok: true })).toMatchObject({ deducted: 0, balance: null });
    expect(await poolsOf(person)).toEqual([5, 10, 20, 40]);
    expect(await loggedOf(person)).toMatchObject([
      { billedStatus: "exempt", isByok: true, costTotal: 0, inputTokens: 10 },
    ]);
  });

  it("each of them once, however many calls end at the same moment", async () => {
    const person = await someone({ ...fourPools, purchasedCredits: 25 });
    const charged = await Promise.all(Array.from({ length: 24 }, () => pay(person, 3)));
    expect(await poolsOf(person)).toEqual([0, 0, 0, 0]);
    expect(charged.reduce((sum, each) => sum + (each?.deducted ?? 0), 0)).toBe(60);
    const rows = await loggedOf(person);
    expect([rows.length, rows.reduce((sum, each) => sum + each.creditsDeducted, 0)]).toEqual([24, 60]);
  });

  it("also while the pools are filled", () =>
    onOneDay("UTC", async () => {
      const person = await someone({ dailyCredits: 0, dailyCreditsResetAt: null, purchasedCredits: 200 });
      const [charged] = await Promise.all([
        Promise.all(Array.from({ length: 20 }, () => pay(person, 3))),
        ...Array.from({ length: 5 }, fill),
      ]);
      expect(charged.reduce((sum, each) => sum + (each?.deducted ?? 0), 0)).toBe(60);
      const [daily = 0, , , purchased = 0] = await poolsOf(person);
      // Filled once: what was taken came from the five of the day and from those that were bought.
      expect(daily + purchased).toBe(200 + 5 - 60);
    }));
});

const opened = async (change: Partial<typeof CREDITS>) => {
  const { user } = await newPerson(db, "person", change);
  const [team] = await db
    .select()
    .from(teams)
    .where(eq(teams.id, String(user.defaultTeamId)));
  return team;
};
const daysUntil = (end: Date | null | undefined) =>
  end && Math.round((end.getTime() - Date.now()) / 86_400_000);

describe("what a team begins with", () => {
  it("is a bonus for 60 days and the credits of the day, with an account", async () => {
    const team = await opened({});
    expect(team).toMatchObject({
      signupBonusCredits: 15_000,
      dailyCredits: 5,
      bundledCredits: 0,
      purchasedCredits: 0,
    });
    expect(daysUntil(team?.signupBonusExpiresAt)).toBe(60);
  });

  it("is a bonus without an end where it has 0 days", async () => {
    const team = await opened({ SIGNUP_BONUS_EXPIRY_DAYS: 0 });
    expect(team).toMatchObject({ signupBonusCredits: 15_000, signupBonusExpiresAt: null });
    const balance = await readBalance({ db, config }, team?.id ?? "");
    expect(balance).toMatchObject({ bonus: 15_000, total: 15_005, tier: "free", allowance: 0 });
  });

  it("is no bonus where there are 0 credits of it", async () => {
    expect(await opened({ SIGNUP_BONUS_CREDITS: 0, TIER_DAILY_CREDITS_FREE: 9 })).toMatchObject({
      signupBonusCredits: 0,
      signupBonusExpiresAt: null,
      dailyCredits: 9,
    });
  });

  it("is nothing for any other team, also on later days, and ends where it had something", async () => {
    const { caller } = await newColleague(db);
    const { team } = await createTeam({ ...database, config }, caller, { name: "Team" }, CLIENT);
    expect(team).toMatchObject({ dailyCredits: 0, signupBonusCredits: 0, signupBonusExpiresAt: null });
    const ofTeam = eq(teams.id, team.id);
    const before = { dailyCredits: 5, dailyCreditsResetAt: sql`now() - interval '1 day'` };
    for (const change of [{ dailyCredits: 0 }, before]) {
      await db.update(teams).set(change).where(ofTeam);
      await fill();
      expect(await db.select().from(teams).where(ofTeam)).toMatchObject([{ dailyCredits: 0 }]);
    }
  });
});

describe("in production the bonus", () => {
  const production = { ENVIRONMENT: "production" as const, TIER_DAILY_CREDITS_FREE: 5 };
  it("waits for a proved address, and is given once", async () => {
    const { user } = await newPerson(db, "person", production);
    const ofPerson = eq(teams.createdBy, user.id);
    const grant = () => grantBonus(db, { ...CREDITS, ...production }, sql`${user.id}::uuid`);
    const bonus = async () => (await db.select().from(teams).where(ofPerson))[0]?.signupBonusCredits;
    await grant();
    expect(await bonus()).toBe(0);
    await db.update(users).set({ isVerified: true }).where(eq(users.id, user.id));
    await Promise.all([grant(), grant(), grant()]);
    expect(await bonus()).toBe(15_000);
    await db.update(teams).set({ signupBonusCredits: 0 }).where(ofPerson);
    await grant();
    expect(await bonus()).toBe(0);
  });
});

const withReset = (
  subscriptionTier: Team["subscriptionTier"],
  creditsResetAt: Exclude<Change["creditsResetAt"], undefined>,
) => someone({ subscriptionTier, bundledCredits: 7, creditsResetAt });

describe("the pools are filled", () => {
  it("with the credits of the day, once a day and in the free tier only", () =>
    onOneDay("UTC", async () => {
      const yesterday = sql`date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - interval '1 millisecond'`;
      const free = await someone({ dailyCredits: 1, dailyCreditsResetAt: yesterday });
      const fresh = await someone({ dailyCredits: 1, dailyCreditsResetAt: sql`now()` });
      const never = await someone({ dailyCredits: 9, dailyCreditsResetAt: null });
      const paid = await someone({
        dailyCredits: 1,
        dailyCreditsResetAt: yesterday,
        subscriptionTier: "basic",
      });
      await fill();
      const daily = async () =>
        (await Promise.all([free, fresh, never, paid].map(teamOf))).map((team) => team.dailyCredits);
      expect(await daily()).toEqual([5, 1, 5, 1]);
      await pay(free, 4);
      await fill();
      expect(await daily()).toEqual([1, 1, 5, 1]);
    }));

  it("with the month's credits of the tier, which do not add up", async () => {
    const due = await withReset("pro", sql`now() - interval '1 hour'`);
    const people = [
      due,
      await withReset("pro", sql`now() + interval '1 hour'`),
      await withReset("pro", sql`now() - interval '75 days'`),
      await withReset("pro", null),
      await withReset("basic", null),
      await withReset("ultra", null),
    ];
    for (let run = 1; run <= 2; run += 1) {
      await fill();
      const now = await Promise.all(people.map(teamOf));
      expect(now.map((team) => team.bundledCredits)).toEqual([2000, 7, 2000, 2000, 500, 8000]);
      const days = now.map((team) => ((team.creditsResetAt?.getTime() ?? 0) - Date.now()) / 86_400_000);
      expect(days.map((day) => Math.round(day))).toEqual([30, 0, 15, 30, 30, 30]);
    }
    await pay(due, 100);
    await fill();
    expect((await teamOf(due)).bundledCredits).toBe(1900);
  });

  it("and a bonus past its day is taken away, the others are not", async () => {
    const over = await someone({
      signupBonusCredits: 10,
      signupBonusExpiresAt: sql`now() - interval '1 second'`,
    });
    const running = await someone({ signupBonusCredits: 10 });
    const endless = await someone({ signupBonusCredits: 10, signupBonusExpiresAt: null });
    const balance = await readBalance({ db, config }, over.personalTeamId);
    expect(balance).toMatchObject({ bonus: 0, total: 0 });
    await fill();
    const bonuses = (await Promise.all([over, running, endless].map(teamOf))).map(
      (team) => team.signupBonusCredits,
    );
    expect(bonuses).toEqual([0, 10, 10]);
  });
});

/** A person whose team has nothing. */
const poor = await newColleague(db);
await db.update(teams).set(onlyCredits(0)).where(eq(teams.id, poor.personalTeamId));
const settings = modelSettings({
  DEFAULT_MODEL: "builtin/house/default",
  PLATFORM_MODELS: "vendor/model, gpt-5, a%b/c_d",
  BYOK_ENABLED_TIERS: "pro",
  PUBLIC_URL: "https://workspace.test",
});

describe("work without credits", () => {
  it.each([
    ["gpt-5", false],
    ["builtin/gpt-5", false],
    ["vendor/model", false],
    ["house/default", false],
    ["builtin/house/default", false],
    ["a%b/c_d", false],
    ["demo", true],
    ["builtin/demo", true],
    ["builtin/vendor/demo", false],
    ["openai/gpt-5", true],
    ["aXb/cYd", true],
    ["vendor/model/more", true],
    ["custom/own/demo", true],
    ["openai/a\nbuiltin/b", true],
  ])("begins where the call will cost none, by the rule of the call: %j", async (id, isAllowed) => {
    const teamId = sql`${poor.personalTeamId}::uuid`;
    const before = await db.execute(
      sql`SELECT ${isFunded(sql`${id}::text`, teamId, settings.platformModels)} AS funded`,
    );
    expect(before.rows).toEqual([{ funded: isAllowed }]);
    const isByok = parseModelId(id, settings).kind !== "platform";
    expect(costsCredits({ id, isByok })).toBe(!isAllowed);
  });
});
