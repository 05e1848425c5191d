import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  adminActions,
  auditLog,
  deviceSignIns,
  loginAttempts,
  mailedTokens,
  pairingTokens,
  refreshRecords,
  sessions,
  usedOauthStates,
} from "#src/db/schema/index.ts";
import { forgetOldRows } from "#src/domain/operations/retention/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import { createLog } from "#src/platform/log/log.ts";
import { newToken } from "#src/lib/random-token.ts";
import { openDatabase } from "#test/support/database.ts";
import { newPerson } from "#test/support/people.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(async () => {
  await database.close();
});

const DAY_MS = 24 * 60 * 60 * 1000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

const forget = (days = 90) =>
  forgetOldRows({ db: database.db, log: createLog(), config: { AUDIT_LOG_RETENTION_DAYS: days } });

/** A row of every table of this kind, as old as this. */
async function insertAll(age: number) {
  const { user } = await newPerson(database.db);
  const moment = daysAgo(age);
  const ids = Array.from({ length: 8 }, newId);
  const [
    entry = "",
    action = "",
    session = "",
    attempt = "",
    link = "",
    pairing = "",
    state = "",
    device = "",
  ] = ids;
  const base = () => ({ userId: user.id, tokenHash: newToken().hash, expiresAt: moment });
  const { db } = database;
  const teamId = user.defaultTeamId ?? "";
  await db
    .insert(auditLog)
    .values({ id: entry, teamId, action: "a.b", resourceType: "a", createdAt: moment });
  await db
    .insert(adminActions)
    .values({ id: action, actionType: "a.b", targetType: "user", targetId: "x", createdAt: moment });
  await db
    .insert(sessions)
    .values({ id: session, userId: user.id, userAgent: "", ipAddress: "", expiresAt: moment });
  await db.insert(loginAttempts).values({ id: attempt, ...base(), codeHash: "-", codeExpiresAt: moment });
  await db.insert(mailedTokens).values({ id: link, ...base(), purpose: "password_reset", email: user.email });
  await db.insert(pairingTokens).values({ id: pairing, ...base(), scopes: [] });
  await db.insert(usedOauthStates).values({ id: state, expiresAt: moment });
  const codes = { deviceCodeHash: newToken().hash, userCodeHash: newToken().hash };
  const program = { clientName: "cli", ipAddress: "192.0.2.1", network: "192.0.2.1", intervalSeconds: 5 };
  await db.insert(deviceSignIns).values({ id: device, ...codes, ...program, expiresAt: moment });
  return ids;
}

const all = (value: boolean) => Array.from({ length: 8 }, () => value);

/** Which of these rows are there, by the order of their making. */
async function left(ids: string[]): Promise<boolean[]> {
  const tables = await Promise.all(
    [
      auditLog,
      adminActions,
      sessions,
      loginAttempts,
      mailedTokens,
      pairingTokens,
      usedOauthStates,
      deviceSignIns,
    ].map((table) => database.db.select({ id: table.id }).from(table)),
  );
  return ids.map((id, index) => tables[index]?.some((row) => row.id === id) ?? false);
}

describe("deleting old rows", () => {
  it("removes expired rows and keeps the others", async () => {
    const [ancient, recent] = [await insertAll(91), await insertAll(-1)];
    await forget();
    expect(await left(ancient)).toEqual(all(false));
    expect(await left(recent)).toEqual(all(true));
  });

  it("removes used-up refresh tokens of a session that goes on", async () => {
    const { caller, session } = await newPerson(database.db);
    const { db } = database;
    const old = { id: newId(), sessionId: caller.sessionId, tokenHash: newToken().hash };
    await db.insert(refreshRecords).values({ ...old, expiresAt: daysAgo(31), usedAt: daysAgo(45) });
    await forget();
    const rows = await db
      .select({ tokenHash: refreshRecords.tokenHash })
      .from(refreshRecords)
      .where(eq(refreshRecords.sessionId, caller.sessionId));
    expect(rows).toEqual([{ tokenHash: sha256Hex(session.refreshToken ?? "") }]);
  });

  it("keeps the logs ninety days, or as long as is said", async () => {
    const rows = await insertAll(89);
    await forget();
    expect((await left(rows)).slice(0, 2)).toEqual([true, true]);
    await forget(80);
    expect((await left(rows)).slice(0, 2)).toEqual([false, false]);
  });

  it("goes on until all is gone, however much there is", async () => {
    const { user } = await newPerson(database.db);
    const row = () => ({
      id: newId(),
      teamId: user.defaultTeamId ?? "",
      action: "many.rows",
      resourceType: "a",
      createdAt: daysAgo(91),
    });
    for (let chunk = 1; chunk <= 6; chunk += 1) {
      await database.db.insert(auditLog).values(Array.from({ length: 1001 }, row));
    }
    await forget();
    const rows = await database.db.select().from(auditLog);
    expect(rows.filter(({ action }) => action === "many.rows")).toEqual([]);
  });
});
