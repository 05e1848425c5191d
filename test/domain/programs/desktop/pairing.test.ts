import { and, eq, type SQL, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import {
  auditLog,
  desktopDevices,
  externalApiKeys,
  pairingTokens,
  teamMemberships,
  users,
} from "#src/db/schema/index.ts";
import { updateUser } from "#src/domain/people/accounts/queries.ts";
import { authenticateKey, requireKeyScope } from "#src/domain/access/permissions/index.ts";
import { revokeApiKey } from "#src/domain/programs/api-keys/index.ts";
import {
  exchangePairing,
  listDevices,
  mintPairing,
  pairDevice,
  readPairing,
  unpairDevice,
  unpairKey,
} from "#src/domain/programs/desktop/index.ts";
import { hashPassword } from "#src/domain/people/passwords/index.ts";
import { endSession } from "#src/domain/access/sessions/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { newApiKey } from "#test/domain/programs/support/new-api-key.ts";
import { allAtOnce, timesAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import { CLIENT, newPerson } from "#test/support/people.ts";
import { keptQueue } from "#test/support/kept-queue.ts";

const secrets = createSecrets("a-secret-key-for-tests-of-32-characters");
const config = { DESKTOP_SCHEME: "workspace", PAIRING_TOKEN_EXPIRY_SECONDS: 300 };
const LAPTOP = { name: "Laptop", platform: "macos", fingerprint: "f1", appVersion: "1.2.3" };

const database = await fileDatabase();
const { db } = database;

type Person = Awaited<ReturnType<typeof newPerson>>;

/** Nothing is counted: the limits have tests of their own. */
const attempts = {
  take: () => Promise.resolve(undefined),
  giveBack: () => Promise.resolve(),
};

const mint = (person: Person, scopes: string[] | null = null) =>
  mintPairing({ db, config: { ...database.config, ...config } }, person.caller, scopes, CLIENT);
const exchange = (token: string) =>
  exchangePairing({ ...database, secrets, attempts }, token, LAPTOP, CLIENT);
const pair = (person: Person, scopes: string[] | null = null) =>
  pairDevice({ ...database, secrets }, person.caller, { device: LAPTOP, scopes }, CLIENT);
const newKey = (person: Person) => newApiKey(db, person);
const expire = (which: SQL) =>
  db
    .update(pairingTokens)
    .set({ expiresAt: sql`now()` })
    .where(which);

const refusal = {
  code: "unauthenticated",
  message: "Pairing token is invalid or expired: ask for a new one",
};

/** The person's actions on devices and links in the audit log, oldest first. */
async function audited({ user }: Person): Promise<string[]> {
  const rows = await db
    .select({ action: auditLog.action })
    .from(auditLog)
    .where(and(eq(auditLog.userId, user.id), sql`${auditLog.action} LIKE 'desktop.%'`))
    .orderBy(auditLog.id);
  return rows.map(({ action }) => action);
}

/** How many of the rows that a grant writes the person has. */
const holdings = async ({ user }: Person) => ({
  keys: await db.$count(externalApiKeys, eq(externalApiKeys.userId, user.id)),
  devices: await db.$count(desktopDevices, eq(desktopDevices.userId, user.id)),
});

describe("a pairing token", () => {
  it("is exchanged for a key of its owner, in the owner's team", async () => {
    const person = await newPerson(db);
    const { token, deepLink, expiresAt } = await mint(person);
    expect(deepLink).toBe(`workspace://pair?token=${token}`);
    expect(Math.abs(expiresAt.getTime() - Date.now() - 300_000)).toBeLessThan(60_000);
    const { token: secret, deviceId, apiKeyId } = await exchange(token);
    expect(await authenticateKey(database, secret)).toMatchObject({
      keyId: apiKeyId,
      userId: person.user.id,
      teamId: person.user.defaultTeamId,
      scopes: ["desktop.pair", "marketplace.read", "models.proxy", "usage.read", "agents.read"],
      projectIds: null,
    });
    expect(await listDevices(database, person.user.id)).toMatchObject([
      { id: deviceId, apiKeyId, ...LAPTOP, isActive: true },
    ]);
    const [key] = await db.select().from(externalApiKeys).where(eq(externalApiKeys.id, apiKeyId));
    expect(key).toMatchObject({ name: "Desktop: Laptop", scope: "team", expiresAt: null });
    expect(await audited(person)).toEqual(["desktop.pairing_minted", "desktop.paired"]);
  });

  it("is stored as its hash only, and so is the key", async () => {
    const person = await newPerson(db);
    const { token } = await mint(person);
    const paired = await exchange(token);
    const rows = await Promise.all(
      [pairingTokens, externalApiKeys, desktopDevices, auditLog].map((table) =>
        db.select().from(table).where(eq(table.userId, person.user.id)),
      ),
    );
    expect(JSON.stringify(rows)).toContain(sha256Hex(token));
    for (const secret of [token, paired.token]) expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it("is good once, after its session is over too: of eight that come at once, one has the key", async () => {
    const person = await newPerson(db);
    const { token } = await mint(person);
    await endSession(database, person.caller, person.caller.sessionId, CLIENT);
    const { done, refused } = await timesAtOnce(8, () => exchange(token));
    expect(done).toHaveLength(1);
    for (const reason of refused) expect(reason).toMatchObject(refusal);
    expect(await holdings(person)).toEqual({ keys: 1, devices: 1 });
    expect(await audited(person)).toEqual(["desktop.pairing_minted", "desktop.paired"]);
    await expect(exchange(token)).rejects.toMatchObject(refusal);
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ["its time is over", (id) => expire(eq(pairingTokens.userId, id))],
    ["its owner is inactive", (id) => db.update(users).set({ isActive: false }).where(eq(users.id, id))],
    [
      "its owner is out of the team",
      (id) => db.delete(teamMemberships).where(eq(teamMemberships.userId, id)),
    ],
    [
      "the account has another password",
      async (id) =>
        updateUser(db, id, { passwordHash: await hashPassword({ PASSWORD_HASH_COST: 4 }, "another horse") }),
    ],
  ])("is refused once %s, as one that was never minted", async (_, change) => {
    const person = await newPerson(db);
    const { token } = await mint(person);
    await change(person.user.id);
    for (const each of [token, "nobody's"]) await expect(exchange(each)).rejects.toMatchObject(refusal);
    expect(await holdings(person)).toEqual({ keys: 0, devices: 0 });
  });

  it("is one of ten that may wait; used and expired ones do not count", async () => {
    const person = await newPerson(db);
    const { done: good } = await timesAtOnce(11, () => mint(person));
    expect(good).toHaveLength(10);
    await expect(mint(person)).rejects.toMatchObject({
      code: "rate_limited",
      message: expect.stringContaining("Maximum of 10 unused pairing links"),
      retryAfterSeconds: expect.toSatisfy((seconds: number) => seconds >= 1),
    });
    expect(await audited(person)).toHaveLength(10);
    await exchange(good[0]?.token ?? "");
    await expect(mint(person)).resolves.toBeDefined();
    await expire(eq(pairingTokens.tokenHash, sha256Hex(good[1]?.token ?? "")));
    await expect(mint(person)).resolves.toBeDefined();
  });
});

describe("the limit of ten devices", () => {
  it("holds for pairings at the same time, and burns no token", async () => {
    const person = await newPerson(db);
    const waiting = await mint(person);
    const { done: paired } = await timesAtOnce(11, () => pair(person));
    expect(paired).toHaveLength(10);
    await expect(exchange(waiting.token)).rejects.toMatchObject({
      code: "invalid_input",
      message: "Maximum of 10 paired devices: unpair one first",
    });
    expect(await holdings(person)).toEqual({ keys: 10, devices: 10 });
    await revokeApiKey({ db, ...keptQueue() }, person.user.id, paired[0]?.apiKeyId ?? "", CLIENT);
    await expect(exchange(waiting.token)).resolves.toBeDefined();
  });

  it("comes with that of ten active keys, also when keys are made and devices paired at the same time", async () => {
    const person = await newPerson(db);
    const tokens = await Promise.all(Array.from({ length: 9 }, () => mint(person)));
    const [waiting, ...others] = tokens;
    const { done } = await allAtOnce<unknown>([
      ...others.map(({ token }) => exchange(token)),
      ...others.map(() => newKey(person)),
    ]);
    expect([done.length, (await holdings(person)).keys]).toEqual([10, 10]);
    for (const more of [() => exchange(waiting?.token ?? ""), () => newKey(person)]) {
      await expect(more()).rejects.toMatchObject({
        message: expect.stringMatching(/^Maximum of 10 active API keys allowed/u),
      });
    }
  });
});

describe("the permissions of a device", () => {
  it("are those wished for and desktop.pair, each once", async () => {
    const person = await newPerson(db);
    const { token } = await mint(person, ["chat.view", "desktop.pair", "chat.view"]);
    expect((await exchange(token)).scopes).toEqual(["desktop.pair", "chat.view"]);
    expect((await pair(person, [])).scopes).toEqual(["desktop.pair"]);
  });

  it.each([
    ["chat.fly", "chat.fly"],
    ["toString", "toString"],
    ["a\nSELECT 1", "a name has forbidden characters"],
  ])("are known ones: not %j", async (scope, named) => {
    const person = await newPerson(db);
    const unknown = { code: "invalid_input", message: `Unknown scope: ${named}` };
    await expect(mint(person, [scope])).rejects.toMatchObject(unknown);
    await expect(pair(person, [scope])).rejects.toMatchObject(unknown);
  });

  it("do not exceed the role, but let a viewer pair and unpair a device", async () => {
    const person = await newPerson(db);
    await db
      .update(teamMemberships)
      .set({ role: "viewer" })
      .where(eq(teamMemberships.userId, person.user.id));
    await expect(pair(person, ["chat.send"])).rejects.toMatchObject({ code: "forbidden" });
    await expect(mint(person, ["chat.send"])).rejects.toMatchObject({ code: "forbidden" });
    const { token } = await pair(person);
    const caller = await authenticateKey(database, token);
    expect(() => requireKeyScope(caller, "desktop.pair")).not.toThrow();
    await unpairKey({ db, ...keptQueue() }, caller, CLIENT);
    await expect(authenticateKey(database, token)).rejects.toMatchObject({ code: "unauthenticated" });
  });
});

describe("unpairing", () => {
  it("by the device ends its key for good, and its tasks", async () => {
    const person = await newPerson(db);
    const { token, deviceId, apiKeyId } = await pair(person);
    const caller = await authenticateKey(database, token);
    expect(await readPairing(database, caller)).toEqual({ deviceId, expiresAt: null });
    const { queue, published } = keptQueue();
    expect(await unpairKey({ db, queue }, caller, CLIENT)).toEqual({ deviceId, apiKeyId });
    expect(published).toEqual([{ function: "stop-tasks", payload: { keyId: apiKeyId } }]);
    const [key] = await db.select().from(externalApiKeys).where(eq(externalApiKeys.id, apiKeyId));
    expect(key).toMatchObject({ isActive: false, keyHash: null, revokedAt: expect.any(Date) });
    expect(await listDevices(database, person.user.id)).toMatchObject([{ id: deviceId, isActive: false }]);
    expect(await audited(person)).toEqual(["desktop.paired", "desktop.unpaired"]);
  });

  it("by its owner may be repeated, is noted once, and sends for the tasks each time", async () => {
    const person = await newPerson(db);
    const { deviceId, apiKeyId } = await pair(person);
    const { queue, published } = keptQueue();
    const { done } = await timesAtOnce(3, () =>
      unpairDevice({ db, queue }, person.user.id, deviceId, CLIENT),
    );
    expect(done).toEqual(Array.from({ length: 3 }, () => ({ deviceId, apiKeyId })));
    expect(published).toHaveLength(3);
    expect(await audited(person)).toEqual(["desktop.paired", "desktop.unpaired"]);
  });

  it("is refused for another person, and for a name that is no id", async () => {
    const [person, stranger] = [await newPerson(db), await newPerson(db)];
    const { deviceId, token } = await pair(person);
    for (const [who, id] of [
      [stranger, deviceId],
      [person, "none\0"],
    ] as const) {
      const unpaired = unpairDevice({ db, ...keptQueue() }, who.user.id, id, CLIENT);
      await expect(unpaired).rejects.toMatchObject({ code: "not_found", message: "Device not found" });
    }
    await expect(authenticateKey(database, token)).resolves.toBeDefined();
  });

  it("by a key without a device ends the key", async () => {
    const { key, token } = await newKey(await newPerson(db));
    const caller = await authenticateKey(database, token);
    const ended = await unpairKey({ db, ...keptQueue() }, caller, CLIENT);
    expect(ended).toEqual({ deviceId: null, apiKeyId: key.id });
    await expect(authenticateKey(database, token)).rejects.toMatchObject({ code: "unauthenticated" });
  });
});
