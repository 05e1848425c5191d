import { eq, inArray } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import {
  adminActions,
  auditLog,
  deviceSignIns,
  externalApiKeys,
  loginAttempts,
  mailedTokens,
  oauthGrants,
  pairingTokens,
  refreshRecords,
  sessions,
  usedOauthStates,
} from "#src/db/schema/index.ts";
import { authenticateGrant } from "#src/domain/access/permissions/index.ts";
import { startTask } from "#src/domain/agent-work/tasks/index.ts";
import { forgetOldRows } from "#src/domain/operations/retention/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import { createLog } from "#src/platform/log/log.ts";
import { newToken } from "#src/lib/random-token.ts";
import { appDeps, connectedApp } from "#test/support/app-grants.ts";
import { newProject } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { messageToAgent, startDeps } from "#test/support/message-to-agent.ts";
import { newPerson } from "#test/support/people.ts";

const { db } = await fileDatabase();

const DAY_MS = 24 * 60 * 60 * 1000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

const forget = (days = 90) =>
  forgetOldRows({ db, log: createLog(), config: { AUDIT_LOG_RETENTION_DAYS: days } });

const TABLES = [
  auditLog,
  adminActions,
  sessions,
  loginAttempts,
  mailedTokens,
  pairingTokens,
  usedOauthStates,
  deviceSignIns,
] as const;

/** A row of every table of this kind, as old as this, under one id. */
async function insertAll(age: number): Promise<string> {
  const { user } = await newPerson(db);
  const [id, userId, moment] = [newId(), user.id, daysAgo(age)];
  const token = () => ({ id, userId, tokenHash: newToken().hash, expiresAt: moment });
  const event = { id, createdAt: moment };
  const codes = { deviceCodeHash: newToken().hash, userCodeHash: newToken().hash };
  const program = { clientName: "cli", ipAddress: "192.0.2.1", network: "192.0.2.1", intervalSeconds: 5 };
  await db.batch([
    db
      .insert(auditLog)
      .values({ ...event, teamId: user.defaultTeamId ?? "", action: "a.b", resourceType: "a" }),
    db.insert(adminActions).values({ ...event, actionType: "a.b", targetType: "user", targetId: "x" }),
    db.insert(sessions).values({ id, userId, userAgent: "", ipAddress: "", expiresAt: moment }),
    db.insert(loginAttempts).values({ ...token(), codeHash: "-", codeExpiresAt: moment }),
    db.insert(mailedTokens).values({ ...token(), purpose: "password_reset", email: user.email }),
    db.insert(pairingTokens).values({ ...token(), scopes: [] }),
    db.insert(usedOauthStates).values({ id, expiresAt: moment }),
    db.insert(deviceSignIns).values({ id, ...codes, ...program, expiresAt: moment }),
  ]);
  return id;
}

/** How many of these rows are left in each table. */
const left = (id: string) => Promise.all(TABLES.map((table) => db.$count(table, eq(table.id, id))));

describe("deleting old rows", () => {
  it("removes expired rows a day after their time, those of sessions and logs later, and keeps the others", async () => {
    const [ancient, old, recent] = [await insertAll(91), await insertAll(25 / 24), await insertAll(23 / 24)];
    await forget();
    expect(await left(ancient)).toEqual(TABLES.map(() => 0));
    expect(await left(old)).toEqual([1, 1, 1, 0, 0, 0, 0, 0]);
    expect(await left(recent)).toEqual(TABLES.map(() => 1));
  });

  it("removes used-up refresh tokens of a session that goes on", async () => {
    const { caller, session } = await newPerson(db);
    const old = { id: newId(), sessionId: caller.sessionId, tokenHash: newToken().hash };
    await db.insert(refreshRecords).values({ ...old, expiresAt: daysAgo(31), usedAt: daysAgo(45) });
    await forget();
    const ofSession = eq(refreshRecords.sessionId, caller.sessionId);
    expect(await db.select().from(refreshRecords).where(ofSession)).toMatchObject([
      { tokenHash: sha256Hex(session.refreshToken ?? "") },
    ]);
  });

  it("keeps the logs ninety days, or as long as is said", async () => {
    const rows = await insertAll(89);
    await forget();
    expect((await left(rows)).slice(0, 2)).toEqual([1, 1]);
    await forget(80);
    expect((await left(rows)).slice(0, 2)).toEqual([0, 0]);
  });

  it("removes connected apps a day after their end with their keys, but none whose task is unfinished", async () => {
    const newApp = async (ended: { revokedAt?: Date; expiresAt?: Date }) => {
      const person = await newPerson(db);
      const { accessToken } = await connectedApp(appDeps(db), person.caller);
      const { keyId } = await authenticateGrant({ db }, accessToken, "https://service.test/mcp");
      const { revokedAt, expiresAt } = ended;
      const end = async () => {
        const ofApp = eq(oauthGrants.keyId, keyId);
        if (expiresAt) await db.update(oauthGrants).set({ expiresAt }).where(ofApp);
        if (revokedAt)
          await db.update(externalApiKeys).set({ revokedAt }).where(eq(externalApiKeys.id, keyId));
      };
      return { ...person, keyId, end };
    };
    const working = await newApp({ revokedAt: daysAgo(1.1) });
    const { id: projectId } = await newProject(db, working);
    const wish = { userId: working.user.id, apiKeyId: working.keyId, projectId };
    await startTask(startDeps(db), messageToAgent(wish));
    const kept = [await newApp({}), await newApp({ revokedAt: daysAgo(0.9) }), working];
    const gone = [await newApp({ revokedAt: daysAgo(1.1) }), await newApp({ expiresAt: daysAgo(1.1) })];
    for (const { end } of [...kept, ...gone]) await end();
    await forget();
    const keys = [...kept, ...gone].map(({ keyId }) => keyId);
    const rows = await db
      .select({ keyId: oauthGrants.keyId })
      .from(oauthGrants)
      .innerJoin(externalApiKeys, eq(externalApiKeys.id, oauthGrants.keyId))
      .where(inArray(externalApiKeys.id, keys));
    expect(new Set(rows.map(({ keyId }) => keyId))).toEqual(new Set(kept.map(({ keyId }) => keyId)));
    expect(await db.$count(externalApiKeys, inArray(externalApiKeys.id, keys))).toBe(kept.length);
  });

  it("goes on until all is gone, however much there is", async () => {
    const { user } = await newPerson(db);
    const what = { teamId: user.defaultTeamId ?? "", action: "many.rows", resourceType: "a" };
    const row = () => ({ id: newId(), ...what, createdAt: daysAgo(91) });
    for (let chunk = 1; chunk <= 6; chunk += 1) {
      await db.insert(auditLog).values(Array.from({ length: 1001 }, row));
    }
    await forget();
    expect(await db.$count(auditLog, eq(auditLog.action, "many.rows"))).toBe(0);
  });
});
