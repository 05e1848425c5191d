import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  adminActions,
  auditLog,
  loginAttempts,
  mailedTokens,
  pairingTokens,
  users,
} from "#src/db/schema/index.ts";
import { authenticateUser } from "#src/domain/organisations/access/index.ts";
import { changeAccount, type AdministeredChange } from "#src/domain/operations/admin/index.ts";
import { newId } from "#src/lib/ids.ts";
import { newToken } from "#src/lib/random-token.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { newAdministrator } from "#test/support/administrators.ts";
import { openDatabase } from "#test/support/database.ts";
import { newPerson, sessionDeps } from "#test/support/people.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(async () => {
  await database.close();
});

type Person = Awaited<ReturnType<typeof newPerson>>;

let admin: Person;
let published: QueueMessage[];
beforeEach(async () => {
  published = [];
  await database.db.update(users).set({ isSuperuser: false });
  admin = await newAdministrator(database.db);
});

const queue = { publishBatch: async (messages: readonly QueueMessage[]) => void published.push(...messages) };

const unused = () => Promise.reject(new Error("Only the ends of tasks were to be published"));
const change = (who: Person, wish: AdministeredChange, by = admin) =>
  changeAccount(
    {
      ...sessionDeps(database.db),
      queue: { ...queue, publish: unused, ensureSchedule: unused, answers: unused },
    },
    { caller: by.caller, address: "192.0.2.9", reason: "a reason" },
    who.user.id,
    wish,
  );

const newEmail = () => `${crypto.randomUUID()}@example.com`;

const trailOf = ({ user }: Person) =>
  database.db.select().from(adminActions).where(eq(adminActions.targetId, user.id));

const administrators = async () =>
  (await database.db.select().from(users).where(eq(users.isSuperuser, true))).filter(
    ({ isActive }) => isActive,
  );

const conflict = (sentence: RegExp) =>
  expect.objectContaining({ code: "conflict", message: expect.stringMatching(sentence) });

describe("disabling an account", () => {
  it("ends its sessions and all that could still become one", async () => {
    const person = await newPerson(database.db);
    const { id: userId, email } = person.user;
    const expiresAt = new Date(Date.now() + 60_000);
    const token = () => ({ id: newId(), userId, tokenHash: newToken().hash, expiresAt });
    await database.db.insert(loginAttempts).values({ ...token(), codeHash: "-", codeExpiresAt: expiresAt });
    await database.db.insert(mailedTokens).values({ ...token(), purpose: "password_reset", email });
    await database.db.insert(pairingTokens).values({ ...token(), scopes: [] });
    expect(await change(person, { isActive: false })).toMatchObject({ isActive: false });
    expect(await authenticateUser(sessionDeps(database.db), person.session.accessToken)).toBeUndefined();
    for (const table of [loginAttempts, mailedTokens, pairingTokens]) {
      const rows = await database.db.select().from(table).where(eq(table.userId, userId));
      expect(rows).toEqual([expect.objectContaining({ usedAt: expect.any(Date) })]);
    }
  });

  it("is noted with its reason, and without the address in the account's own log", async () => {
    const person = await newPerson(database.db);
    await change(person, { isActive: false });
    expect(await trailOf(person)).toEqual([
      expect.objectContaining({
        adminId: admin.user.id,
        actionType: "account.disabled",
        targetType: "user",
        reason: "a reason",
        details: { fields: ["is_active"], is_active: false },
        ipAddress: "192.0.2.9",
      }),
    ]);
    const own = await database.db.select().from(auditLog).where(eq(auditLog.action, "account.disabled"));
    expect(own.filter(({ resourceId }) => resourceId === person.user.id)).toEqual([
      expect.objectContaining({ teamId: person.user.defaultTeamId, userId: admin.user.id, ipAddress: null }),
    ]);
  });

  it("is logged once for repeated requests, also at the same time", async () => {
    const person = await newPerson(database.db);
    await Promise.all([
      change(person, { isActive: false, name: "One" }),
      change(person, { isActive: false, name: "One" }),
    ]);
    await change(person, { isActive: false });
    expect(await trailOf(person)).toHaveLength(1);
    expect(await change(person, { isActive: true })).toMatchObject({ isActive: true });
    expect((await trailOf(person)).map(({ actionType }) => actionType).toSorted()).toEqual([
      "account.disabled",
      "account.enabled",
    ]);
  });

  it("of oneself is refused", async () => {
    await newAdministrator(database.db);
    await expect(change(admin, { isActive: false })).rejects.toEqual(conflict(/your own account/u));
  });
});

describe("the last administrator", () => {
  it("cannot lay the role down, also when another administrator is there who is disabled", async () => {
    const other = await newAdministrator(database.db);
    await change(other, { isActive: false });
    await expect(change(admin, { isSuperuser: false })).rejects.toEqual(conflict(/last administrator/u));
  });

  it("remains when six lay the role down at once", async () => {
    const six = await Promise.all(Array.from({ length: 6 }, () => newAdministrator(database.db)));
    await change(admin, { isSuperuser: false }, six[0]);
    const outcomes = await Promise.allSettled(six.map((each) => change(each, { isSuperuser: false }, each)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    expect(await administrators()).toHaveLength(1);
  });

  it("remains when two disable each other at once", async () => {
    const other = await newAdministrator(database.db);
    await Promise.allSettled([
      change(other, { isActive: false }, admin),
      change(admin, { isActive: false }, other),
    ]);
    expect(await administrators()).toHaveLength(1);
  });
});

describe("changing another person's account", () => {
  it("is refused for an administrator who has lost the role since the request was admitted, and changes nothing", async () => {
    const [other, person] = [await newAdministrator(database.db), await newPerson(database.db)];
    await change(other, { isSuperuser: false });
    await expect(change(person, { name: "Other" }, other)).rejects.toMatchObject({ code: "forbidden" });
    expect(await trailOf(person)).toEqual([]);
  });

  it("records the changed fields, but not the value of a secret one", async () => {
    const person = await newPerson(database.db);
    const changed = await change(person, { name: "Renamed", password: "another horse", isSuperuser: true });
    expect(changed).toMatchObject({ name: "Renamed", isSuperuser: true });
    const [noted] = await trailOf(person);
    expect(noted).toMatchObject({
      actionType: "account.updated",
      details: { fields: ["name", "password", "is_superuser"], is_superuser: true },
    });
    expect(JSON.stringify(noted)).not.toContain("horse");
    expect(await authenticateUser(sessionDeps(database.db), person.session.accessToken)).toBeUndefined();
  });

  it("with an address makes it one that is not verified, unless that is said", async () => {
    const person = await newPerson(database.db);
    expect(await change(person, { isVerified: true })).toMatchObject({ isVerified: true });
    expect(await change(person, { email: newEmail() })).toMatchObject({ isVerified: false });
    expect(await change(person, { email: newEmail(), isVerified: true })).toMatchObject({ isVerified: true });
    expect(await change(person, { name: "Same address" })).toMatchObject({ isVerified: true });
  });

  it("to a name or address of another account is refused", async () => {
    const [person, other] = [await newPerson(database.db), await newPerson(database.db)];
    await expect(change(person, { username: other.user.username })).rejects.toEqual(
      conflict(/already taken/u),
    );
    await expect(change(person, { email: other.user.email.toUpperCase() })).rejects.toMatchObject({
      code: "invalid_input",
      message: "UPDATE_USER_EMAIL_ALREADY_EXISTS",
    });
    await expect(change(person, { password: "12345" })).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("records the fields that have changed, not all that were requested", async () => {
    const person = await newPerson(database.db);
    await change(person, { isActive: true, name: "Bo", username: person.user.username, isSuperuser: false });
    await change(person, { isVerified: true });
    await change(person, { email: newEmail(), isSuperuser: false });
    const trail = (await trailOf(person)).toSorted((a, b) => a.id.localeCompare(b.id));
    expect(trail.map(({ actionType, details }) => ({ actionType, details }))).toEqual([
      { actionType: "account.updated", details: { fields: ["name"] } },
      { actionType: "account.updated", details: { fields: ["is_verified"], is_verified: true } },
      { actionType: "account.updated", details: { fields: ["email", "is_verified"], is_verified: false } },
    ]);
    const own = await database.db.select().from(auditLog).where(eq(auditLog.resourceId, person.user.id));
    const told = own.filter(({ userId }) => userId === admin.user.id);
    expect(told.map(({ action, details }) => ({ actionType: action, details }))).toEqual(
      expect.arrayContaining(trail.map(({ actionType, details }) => ({ actionType, details }))),
    );
  });

  it("of nothing notes nothing", async () => {
    const person = await newPerson(database.db);
    await change(person, {});
    await change(person, { name: person.user.name, isActive: true });
    expect(await trailOf(person)).toEqual([]);
  });
});
