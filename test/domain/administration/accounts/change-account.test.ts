import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import {
  adminActions,
  auditLog,
  loginAttempts,
  mailedTokens,
  pairingTokens,
  teams,
  users,
} from "#src/db/schema/index.ts";
import { authenticateUser } from "#src/domain/access/permissions/index.ts";
import {
  adjustCredits,
  type AdministeredChange,
  changeAccount,
} from "#src/domain/administration/accounts/index.ts";
import { newId } from "#src/lib/ids.ts";
import { newToken } from "#src/lib/random-token.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { newAdministrator } from "#test/support/administrators.ts";
import { allAtOnce, timesAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import { newPerson, sessionDeps } from "#test/support/people.ts";
import { onlyCredits } from "#test/support/proxy-client.ts";

const { db } = await fileDatabase();

type Person = Awaited<ReturnType<typeof newPerson>>;

let admin: Person;
let published: QueueMessage[];
beforeEach(async () => {
  published = [];
  await db.update(users).set({ isSuperuser: false });
  admin = await newAdministrator(db);
});

const queue = { publishBatch: async (messages: readonly QueueMessage[]) => void published.push(...messages) };

const unused = () => Promise.reject(new Error("Only the ends of tasks were to be published"));
const change = (who: Person, wish: AdministeredChange, by = admin) =>
  changeAccount(
    {
      ...sessionDeps(db),
      queue: { ...queue, publish: unused, ensureSchedule: unused, answers: unused },
    },
    { caller: by.caller, address: "192.0.2.9", reason: "a reason" },
    who.user.id,
    wish,
  );

const newEmail = () => `${crypto.randomUUID()}@example.com`;

const trailOf = ({ user }: Person) =>
  db.select().from(adminActions).where(eq(adminActions.targetId, user.id));

const administrators = async () =>
  (await db.select().from(users).where(eq(users.isSuperuser, true))).filter(({ isActive }) => isActive);

const conflict = (sentence: RegExp) =>
  expect.objectContaining({ code: "conflict", message: expect.stringMatching(sentence) });

describe("disabling an account", () => {
  it("ends its sessions and all that could still become one", async () => {
    const person = await newPerson(db);
    const { id: userId, email } = person.user;
    const expiresAt = new Date(Date.now() + 60_000);
    const token = () => ({ id: newId(), userId, tokenHash: newToken().hash, expiresAt });
    await db.insert(loginAttempts).values({ ...token(), codeHash: "-", codeExpiresAt: expiresAt });
    await db.insert(mailedTokens).values({ ...token(), purpose: "password_reset", email });
    await db.insert(pairingTokens).values({ ...token(), scopes: [] });
    expect(await change(person, { isActive: false })).toMatchObject({ isActive: false });
    expect(await authenticateUser(sessionDeps(db), person.session.accessToken)).toBeUndefined();
    for (const table of [loginAttempts, mailedTokens, pairingTokens]) {
      const rows = await db.select().from(table).where(eq(table.userId, userId));
      expect(rows).toEqual([expect.objectContaining({ usedAt: expect.any(Date) })]);
    }
  });

  it("is noted with its reason, and without the address in the account's own log", async () => {
    const person = await newPerson(db);
    await change(person, { isActive: false });
    expect(await trailOf(person)).toMatchObject([
      {
        adminId: admin.user.id,
        actionType: "account.disabled",
        reason: "a reason",
        details: { fields: ["is_active"], is_active: false },
        ipAddress: "192.0.2.9",
      },
    ]);
    const own = await db.select().from(auditLog).where(eq(auditLog.resourceId, person.user.id));
    expect(own.filter(({ action }) => action === "account.disabled")).toMatchObject([
      { teamId: person.user.defaultTeamId, userId: admin.user.id, ipAddress: null },
    ]);
  });

  it("is logged once for repeated requests, also at the same time", async () => {
    const person = await newPerson(db);
    const wish = { isActive: false, name: "One" };
    await Promise.all([change(person, wish), change(person, wish)]);
    await change(person, wish);
    await change(person, {});
    expect(await trailOf(person)).toHaveLength(1);
    expect(await change(person, { isActive: true })).toMatchObject({ isActive: true });
    const actions = (await trailOf(person)).map(({ actionType }) => actionType);
    expect(new Set(actions)).toEqual(new Set(["account.disabled", "account.enabled"]));
  });

  it("of oneself is refused", async () => {
    await newAdministrator(db);
    await expect(change(admin, { isActive: false })).rejects.toEqual(conflict(/your own account/u));
  });
});

describe("the last administrator", () => {
  it("cannot lay the role down, also when another administrator is there who is disabled", async () => {
    const other = await newAdministrator(db);
    await change(other, { isActive: false });
    await expect(change(admin, { isSuperuser: false })).rejects.toEqual(conflict(/last administrator/u));
  });

  it.each<[string, number, AdministeredChange, (nth: number) => number]>([
    ["six lay the role down", 6, { isSuperuser: false }, (nth) => nth],
    ["two disable each other", 2, { isActive: false }, (nth) => 1 - nth],
  ])("remains when %s at once", async (_, count, wish, target) => {
    const all = await Promise.all(Array.from({ length: count }, () => newAdministrator(db)));
    await change(admin, { isSuperuser: false }, all[0]);
    await allAtOnce(all.map((each, nth) => change(all[target(nth)] ?? each, wish, each)));
    expect(await administrators()).toHaveLength(1);
  });
});

describe("changing another person's account", () => {
  it("is refused for an administrator who has lost the role since the request was admitted, and changes nothing", async () => {
    const [other, person] = [await newAdministrator(db), await newPerson(db)];
    await change(other, { isSuperuser: false });
    await expect(change(person, { name: "Other" }, other)).rejects.toMatchObject({ code: "forbidden" });
    expect(await trailOf(person)).toEqual([]);
  });

  it("records the changed fields, but not the value of a secret one", async () => {
    const person = await newPerson(db);
    const changed = await change(person, { name: "Renamed", password: "another horse", isSuperuser: true });
    expect(changed).toMatchObject({ name: "Renamed", isSuperuser: true });
    const [noted] = await trailOf(person);
    expect(noted).toMatchObject({
      actionType: "account.updated",
      details: { fields: ["name", "password", "is_superuser"], is_superuser: true },
    });
    expect(JSON.stringify(noted)).not.toContain("horse");
    expect(await authenticateUser(sessionDeps(db), person.session.accessToken)).toBeUndefined();
  });

  it("with an address makes it one that is not verified, unless that is said", async () => {
    const person = await newPerson(db);
    expect(await change(person, { isVerified: true })).toMatchObject({ isVerified: true });
    expect(await change(person, { email: newEmail() })).toMatchObject({ isVerified: false });
    expect(await change(person, { email: newEmail(), isVerified: true })).toMatchObject({ isVerified: true });
    expect(await change(person, { name: "Same address" })).toMatchObject({ isVerified: true });
  });

  it("to a name or address of another account is refused", async () => {
    const [person, other] = [await newPerson(db), await newPerson(db)];
    const { username, email } = other.user;
    await expect(change(person, { username })).rejects.toEqual(conflict(/already taken/u));
    const taken = { code: "invalid_input", message: "UPDATE_USER_EMAIL_ALREADY_EXISTS" };
    await expect(change(person, { email: email.toUpperCase() })).rejects.toMatchObject(taken);
    await expect(change(person, { password: "12345" })).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("records the fields that have changed, not all that were requested", async () => {
    const person = await newPerson(db);
    await change(person, { isActive: true, name: "Bo", username: person.user.username, isSuperuser: false });
    await change(person, { email: newEmail(), isVerified: true });
    const trail = (await trailOf(person)).toSorted((a, b) => a.id.localeCompare(b.id));
    const recorded = [{ fields: ["name"] }, { fields: ["email", "is_verified"], is_verified: true }];
    expect(trail.map(({ details }) => details)).toEqual(recorded);
    const own = await db.select().from(auditLog).where(eq(auditLog.resourceId, person.user.id));
    const told = own.filter(({ userId }) => userId === admin.user.id).map(({ details }) => details);
    expect(told).toEqual(expect.arrayContaining(recorded));
  });
});

const adjust = ({ user }: Person, amount: number, by = admin) =>
  adjustCredits({ db }, { caller: by.caller, address: "192.0.2.9", reason: "a gift" }, user.id, amount);

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
    expect(await trailOf(person)).toMatchObject([
      { actionType: "credits.adjusted", reason: "a gift", details },
    ]);
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
