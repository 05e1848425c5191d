import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  auditLog,
  desktopDevices,
  externalApiKeys,
  pairingTokens,
  teamMemberships,
  users,
} from "#src/db/schema/index.ts";
import { updateUser } from "#src/domain/people/accounts/queries.ts";
import { authenticateKey, requireKeyScope } from "#src/domain/organisations/access/index.ts";
import { createApiKey, revokeApiKey } from "#src/domain/organisations/api-keys/index.ts";
import {
  exchangePairing,
  listDevices,
  mintPairing,
  pairDevice,
  readPairing,
  unpairDevice,
  unpairKey,
} from "#src/domain/people/desktop/index.ts";
import { hashPassword } from "#src/domain/people/passwords/index.ts";
import { endSession } from "#src/domain/people/sessions/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { openDatabase } from "#test/support/database.ts";
import { CLIENT, newPerson } from "#test/support/people.ts";

const secrets = createSecrets("a-secret-key-for-tests-of-32-characters");
const config = { DESKTOP_SCHEME: "workspace", PAIRING_TOKEN_EXPIRY_SECONDS: 300 };
const LAPTOP = { name: "Laptop", platform: "macos", fingerprint: "f1", appVersion: "1.2.3" };

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(async () => {
  await database.close();
});

type Person = Awaited<ReturnType<typeof newPerson>>;

/** Nothing is counted and nothing refused: the limits have tests of their own. */
const attempts = {
  take: () => Promise.resolve(undefined),
  giveBack: () => Promise.resolve(),
};

const mint = (person: Person, scopes: string[] | null = null, own: Partial<typeof config> = {}) =>
  mintPairing(
    { db: database.db, config: { ...database.config, ...config, ...own } },
    person.caller,
    scopes,
    CLIENT,
  );
const exchange = (token: string) =>
  exchangePairing({ ...database, secrets, attempts }, token, LAPTOP, CLIENT);
const pair = (person: Person, scopes: string[] | null = null) =>
  pairDevice({ ...database, secrets }, person.caller, { device: LAPTOP, scopes }, CLIENT);
const newKey = (person: Person) =>
  createApiKey(
    { ...database, secrets },
    person.caller,
    {
      name: "key",
      scopes: null,
      projectIds: null,
      expiresAt: null,
    },
    CLIENT,
  );

const refusal = {
  code: "unauthenticated",
  message: "Pairing token is invalid or expired: ask for a new one",
};

function recordingQueue() {
  const published: QueueMessage[] = [];
  const queue = {
    publishBatch: async (messages: readonly QueueMessage[]) => void published.push(...messages),
  };
  return { queue, published };
}

/** The person's actions on devices and links in the audit log, oldest first. */
async function audited({ user }: Person): Promise<string[]> {
  const rows = await database.db
    .select({ action: auditLog.action })
    .from(auditLog)
    .where(and(eq(auditLog.userId, user.id), sql`${auditLog.action} LIKE 'desktop.%'`))
    .orderBy(auditLog.id);
  return rows.map(({ action }) => action);
}

const setRole = (person: Person, role: "viewer" | "editor") =>
  database.db.update(teamMemberships).set({ role }).where(eq(teamMemberships.userId, person.user.id));

/** How many of the rows that a grant writes the person has. */
async function holdings({ user }: Person) {
  const [keys, devices] = await Promise.all([
    database.db.select().from(externalApiKeys).where(eq(externalApiKeys.userId, user.id)),
    database.db.select().from(desktopDevices).where(eq(desktopDevices.userId, user.id)),
  ]);
  return { keys: keys.length, devices: devices.length };
}

describe("a pairing token", () => {
  it("is void once the account has another password", async () => {
    const person = await newPerson(database.db);
    const { token } = await mint(person);
    await updateUser(database.db, person.user.id, {
      passwordHash: await hashPassword({ PASSWORD_HASH_COST: 4 }, "another horse"),
    });
    await expect(exchange(token)).rejects.toMatchObject({ code: "unauthenticated" });
  });

  it("is exchanged for a key of its owner, in the owner's team", async () => {
    const person = await newPerson(database.db);
    const { token, deepLink, expiresAt } = await mint(person);
    expect(deepLink).toBe(`workspace://pair?token=${token}`);
    expect(Math.abs(expiresAt.getTime() - Date.now() - 300_000)).toBeLessThan(60_000);
    const paired = await exchange(token);
    expect(paired.token).toMatch(/^tsk_[0-9a-f]{32}$/u);
    expect(await authenticateKey(database, paired.token)).toMatchObject({
      keyId: paired.apiKeyId,
      userId: person.user.id,
      teamId: person.user.defaultTeamId,
      scopes: ["desktop.pair", "marketplace.read", "models.proxy", "usage.read", "agents.read"],
      projectIds: null,
    });
    expect(await listDevices(database, person.user.id)).toMatchObject([
      { id: paired.deviceId, apiKeyId: paired.apiKeyId, ...LAPTOP, isActive: true },
    ]);
    const [key] = await database.db
      .select()
      .from(externalApiKeys)
      .where(eq(externalApiKeys.id, paired.apiKeyId));
    expect(key).toMatchObject({ name: "Desktop: Laptop", scope: "team", expiresAt: null });
    expect(await audited(person)).toEqual(["desktop.pairing_minted", "desktop.paired"]);
  });

  it("is stored as its hash only, and so is the key", async () => {
    const person = await newPerson(database.db);
    const { token } = await mint(person);
    const paired = await exchange(token);
    const rows = await Promise.all([
      database.db.select().from(pairingTokens).where(eq(pairingTokens.userId, person.user.id)),
      database.db.select().from(externalApiKeys).where(eq(externalApiKeys.userId, person.user.id)),
      database.db.select().from(desktopDevices).where(eq(desktopDevices.userId, person.user.id)),
      database.db.select().from(auditLog).where(eq(auditLog.userId, person.user.id)),
    ]);
    expect(rows.map((each) => each.length > 0)).toEqual([true, true, true, true]);
    expect(JSON.stringify(rows)).toContain(sha256Hex(token));
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain(paired.token);
  });

  it("is good once: of eight that come at once, one has the key", async () => {
    const person = await newPerson(database.db);
    const { token } = await mint(person);
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => exchange(token)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes.filter((each) => each.status === "rejected")) {
      expect(outcome.reason).toMatchObject(refusal);
    }
    expect(await holdings(person)).toEqual({ keys: 1, devices: 1 });
    expect(await audited(person)).toEqual(["desktop.pairing_minted", "desktop.paired"]);
    await expect(exchange(token)).rejects.toMatchObject(refusal);
  });

  it("is refused when it was never minted, and after its time, with the same sentence", async () => {
    const person = await newPerson(database.db);
    const { token } = await mint(person);
    await database.db
      .update(pairingTokens)
      .set({ expiresAt: sql`now() - interval '1 second'` })
      .where(eq(pairingTokens.tokenHash, sha256Hex(token)));
    await expect(exchange(token)).rejects.toMatchObject(refusal);
    await expect(exchange("nobody's")).rejects.toMatchObject(refusal);
    expect(await holdings(person)).toEqual({ keys: 0, devices: 0 });
  });

  it("is good after its session is over, but not when its owner is inactive or out of the team", async () => {
    const person = await newPerson(database.db);
    const [first, second] = [await mint(person), await mint(person)];
    await endSession(database, person.caller, person.caller.sessionId, CLIENT);
    await expect(exchange(first.token)).resolves.toBeDefined();
    await database.db.update(users).set({ isActive: false }).where(eq(users.id, person.user.id));
    await expect(exchange(second.token)).rejects.toMatchObject(refusal);
    await database.db.update(users).set({ isActive: true }).where(eq(users.id, person.user.id));
    await database.db.delete(teamMemberships).where(eq(teamMemberships.userId, person.user.id));
    await expect(exchange(second.token)).rejects.toMatchObject(refusal);
    expect(await holdings(person)).toEqual({ keys: 1, devices: 1 });
  });

  it("is one of ten that may wait; used and expired ones do not count", async () => {
    const person = await newPerson(database.db);
    const minted = await Promise.allSettled(Array.from({ length: 11 }, () => mint(person)));
    const good = minted.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    expect(good).toHaveLength(10);
    await expect(mint(person)).rejects.toMatchObject({
      code: "rate_limited",
      message: expect.stringContaining("Maximum of 10 unused pairing links"),
      retryAfterSeconds: expect.toSatisfy((seconds: number) => seconds >= 1),
    });
    expect(await audited(person)).toHaveLength(10);
    await exchange(good[0]?.token ?? "");
    await expect(mint(person)).resolves.toBeDefined();
    await database.db
      .update(pairingTokens)
      .set({ expiresAt: sql`now()` })
      .where(eq(pairingTokens.tokenHash, sha256Hex(good[1]?.token ?? "")));
    await expect(mint(person)).resolves.toBeDefined();
  });

  it("leaves no row behind for long", async () => {
    const person = await newPerson(database.db);
    const { token } = await mint(person);
    await database.db
      .update(pairingTokens)
      .set({ expiresAt: sql`now() - interval '2 days'` })
      .where(eq(pairingTokens.tokenHash, sha256Hex(token)));
    await mint(person);
    const rows = await database.db
      .select()
      .from(pairingTokens)
      .where(eq(pairingTokens.userId, person.user.id));
    expect(rows.map(({ tokenHash }) => tokenHash)).not.toContain(sha256Hex(token));
    expect(rows).toHaveLength(1);
  });
});

describe("the limit of ten devices", () => {
  it("holds for pairings at the same time, and burns no token", async () => {
    const person = await newPerson(database.db);
    const waiting = await mint(person);
    const outcomes = await Promise.allSettled(Array.from({ length: 11 }, () => pair(person)));
    const paired = outcomes.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    expect(paired).toHaveLength(10);
    await expect(exchange(waiting.token)).rejects.toMatchObject({
      code: "invalid_input",
      message: "Maximum of 10 paired devices: unpair one first",
    });
    expect(await holdings(person)).toEqual({ keys: 10, devices: 10 });
    const { queue } = recordingQueue();
    await revokeApiKey({ db: database.db, queue }, person.user.id, paired[0]?.apiKeyId ?? "", CLIENT);
    await expect(exchange(waiting.token)).resolves.toBeDefined();
  });

  it("comes with that of ten active keys, which desktop keys are among", async () => {
    const person = await newPerson(database.db);
    const waiting = await mint(person);
    const keys = await Promise.all(Array.from({ length: 10 }, () => newKey(person)));
    await expect(exchange(waiting.token)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(/^Maximum of 10 active API keys allowed/u),
    });
    const { queue } = recordingQueue();
    await revokeApiKey({ db: database.db, queue }, person.user.id, keys[0]?.key.id ?? "", CLIENT);
    await expect(exchange(waiting.token)).resolves.toBeDefined();
    await expect(newKey(person)).rejects.toMatchObject({
      message: expect.stringMatching(/^Maximum of 10 active API keys allowed/u),
    });
  });

  it("is kept when keys are made and devices paired at the same time", async () => {
    const person = await newPerson(database.db);
    const tokens = await Promise.all(Array.from({ length: 8 }, () => mint(person)));
    const outcomes = await Promise.allSettled([
      ...tokens.map(({ token }) => exchange(token)),
      ...Array.from({ length: 8 }, () => newKey(person)),
    ]);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    expect((await holdings(person)).keys).toBe(10);
  });
});

describe("the permissions of a device", () => {
  it("are those wished for and desktop.pair, each once", async () => {
    const person = await newPerson(database.db);
    const { token } = await mint(person, ["chat.view", "desktop.pair", "chat.view"]);
    expect((await exchange(token)).scopes).toEqual(["desktop.pair", "chat.view"]);
    expect((await pair(person, [])).scopes).toEqual(["desktop.pair"]);
  });

  it.each([
    ["chat.fly", "chat.fly"],
    ["toString", "toString"],
    ["", "a name has forbidden characters"],
    ["a\nSELECT 1", "a name has forbidden characters"],
  ])("are known ones: not %j", async (scope, named) => {
    const person = await newPerson(database.db);
    const unknown = { code: "invalid_input", message: `Unknown scope: ${named}` };
    await expect(mint(person, [scope])).rejects.toMatchObject(unknown);
    await expect(pair(person, [scope])).rejects.toMatchObject(unknown);
  });

  it("do not exceed the role, but let a viewer pair and unpair a device", async () => {
    const person = await newPerson(database.db);
    await setRole(person, "viewer");
    await expect(pair(person, ["chat.send"])).rejects.toMatchObject({ code: "forbidden" });
    await expect(mint(person, ["chat.send"])).rejects.toMatchObject({ code: "forbidden" });
    const { token } = await pair(person);
    const caller = await authenticateKey(database, token);
    expect(() => requireKeyScope(caller, "desktop.pair")).not.toThrow();
    expect(() => requireKeyScope({ ...caller, scopes: ["chat.view"] }, "desktop.pair")).toThrow(
      "API key lacks required scope: desktop.pair",
    );
    await unpairKey({ db: database.db, ...recordingQueue() }, caller, CLIENT);
    await expect(authenticateKey(database, token)).rejects.toMatchObject({ code: "unauthenticated" });
  });
});

describe("unpairing", () => {
  it("by the device ends its key for good, and its tasks", async () => {
    const person = await newPerson(database.db);
    const { token, deviceId, apiKeyId } = await pair(person);
    const caller = await authenticateKey(database, token);
    expect(await readPairing(database, caller)).toEqual({ deviceId, expiresAt: null });
    const { queue, published } = recordingQueue();
    expect(await unpairKey({ db: database.db, queue }, caller, CLIENT)).toEqual({ deviceId, apiKeyId });
    expect(published).toEqual([{ function: "stop-tasks", payload: { keyId: apiKeyId } }]);
    const [key] = await database.db.select().from(externalApiKeys).where(eq(externalApiKeys.id, apiKeyId));
    expect(key).toMatchObject({ isActive: false, keyHash: null, revokedAt: expect.any(Date) });
    expect(await listDevices(database, person.user.id)).toMatchObject([{ id: deviceId, isActive: false }]);
    expect(await audited(person)).toEqual(["desktop.paired", "desktop.unpaired"]);
  });

  it("by its owner may be repeated, is noted once, and sends for the tasks each time", async () => {
    const person = await newPerson(database.db);
    const { deviceId, apiKeyId } = await pair(person);
    const { queue, published } = recordingQueue();
    const unpair = () => unpairDevice({ db: database.db, queue }, person.user.id, deviceId, CLIENT);
    expect(await Promise.all([unpair(), unpair(), unpair()])).toEqual(
      Array.from({ length: 3 }, () => ({ deviceId, apiKeyId })),
    );
    expect(published).toHaveLength(3);
    expect(await audited(person)).toEqual(["desktop.paired", "desktop.unpaired"]);
  });

  it("is refused for another person, and for a name that is no id", async () => {
    const [person, stranger] = [await newPerson(database.db), await newPerson(database.db)];
    const { deviceId, token } = await pair(person);
    const { queue, published } = recordingQueue();
    for (const [who, id] of [
      [stranger, deviceId],
      [person, crypto.randomUUID()],
      [person, "none\0"],
    ] as const) {
      await expect(unpairDevice({ db: database.db, queue }, who.user.id, id, CLIENT)).rejects.toMatchObject({
        code: "not_found",
        message: "Device not found",
      });
    }
    expect(published).toEqual([]);
    await expect(authenticateKey(database, token)).resolves.toBeDefined();
  });

  it("by a key without a device ends the key", async () => {
    const person = await newPerson(database.db);
    const { key, token } = await newKey(person);
    const caller = await authenticateKey(database, token);
    const ended = await unpairKey({ db: database.db, ...recordingQueue() }, caller, CLIENT);
    expect(ended).toEqual({ deviceId: null, apiKeyId: key.id });
    await expect(authenticateKey(database, token)).rejects.toMatchObject({ code: "unauthenticated" });
  });
});
