import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eq, sql } from "drizzle-orm";
import { auditLog, refreshRecords, users } from "#src/db/schema/index.ts";
import { endSession, logOut, refreshSession, startSession } from "#src/domain/people/sessions/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { openDatabase } from "#test/support/database.ts";
import { CLIENT, newPerson, sessionDeps } from "#test/support/people.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(async () => {
  await database.close();
});

const refresh = (token: string | undefined) => refreshSession(sessionDeps(database.db), token, CLIENT);
const refusedWith = (message: string) => expect.objectContaining({ code: "unauthenticated", message });

describe("a refresh token", () => {
  it("is good once, and ends the whole session when it comes a second time", async () => {
    const { session } = await newPerson(database.db);
    const second = await refresh(session.refreshToken);
    expect(second.refreshToken).not.toBe(session.refreshToken);
    await expect(refresh(session.refreshToken)).rejects.toEqual(refusedWith("Refresh token revoked"));
    await expect(refresh(second.refreshToken)).rejects.toEqual(refusedWith("Refresh token revoked"));
  });

  it("lets in one of eight refreshes at once, and none afterwards, which is noted once", async () => {
    const { session, caller } = await newPerson(database.db);
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => refresh(session.refreshToken)));
    const won = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    expect(won).toHaveLength(1);
    await expect(refresh(won[0]?.refreshToken)).rejects.toEqual(refusedWith("Refresh token revoked"));
    const log = await database.db.select().from(auditLog).where(eq(auditLog.userId, caller.userId));
    expect(log.filter(({ action }) => action === "session.refresh_reused")).toEqual([
      expect.objectContaining({ resourceId: caller.sessionId, ipAddress: CLIENT.address }),
    ]);
  });

  it("does not end the owner's other sessions", async () => {
    const { user, session } = await newPerson(database.db);
    const other = await startSession(sessionDeps(database.db), user, CLIENT, "password");
    await refresh(session.refreshToken);
    await expect(refresh(session.refreshToken)).rejects.toEqual(refusedWith("Refresh token revoked"));
    await expect(refresh(other.refreshToken)).resolves.toBeDefined();
  });

  it.each([
    ["none", undefined, "No refresh token"],
    ["an unknown one", "garbage", "Invalid refresh token"],
  ])("is refused when it is %s", async (_, token, message) => {
    await expect(refresh(token)).rejects.toEqual(refusedWith(message));
  });

  it("is refused after its time", async () => {
    const { session } = await newPerson(database.db);
    await database.db
      .update(refreshRecords)
      .set({ expiresAt: sql`now() - interval '1 second'` })
      .where(eq(refreshRecords.tokenHash, sha256Hex(session.refreshToken ?? "")));
    await expect(refresh(session.refreshToken)).rejects.toEqual(refusedWith("Refresh token expired"));
  });

  it("is refused when the account is no longer active", async () => {
    const { user, session } = await newPerson(database.db);
    await database.db.update(users).set({ isActive: false }).where(eq(users.id, user.id));
    await expect(refresh(session.refreshToken)).rejects.toEqual(refusedWith("User inactive or not found"));
  });

  it("is refused after logging out, which may be done twice", async () => {
    const { session } = await newPerson(database.db);
    const tokens = { refreshToken: session.refreshToken, accessToken: undefined };
    for (const askedAt of [new Date(), new Date()]) {
      await logOut(sessionDeps(database.db), tokens, { askedAt, client: CLIENT });
    }
    await expect(refresh(session.refreshToken)).rejects.toEqual(refusedWith("Refresh token revoked"));
  });

  it("is stored as its hash only", async () => {
    const { session, caller } = await newPerson(database.db);
    const rows = await database.db
      .select()
      .from(refreshRecords)
      .where(eq(refreshRecords.sessionId, caller.sessionId));
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(session.refreshToken);
  });
});

const graceful = (token: string | undefined, seconds: number) => {
  const deps = sessionDeps(database.db);
  return refreshSession(
    { ...deps, config: { ...deps.config, REFRESH_REUSE_GRACE_SECONDS: seconds } },
    token,
    CLIENT,
  );
};

describe("with a grace for tokens that were just used", () => {
  it("lets in all of eight that come at once, one of them with a new refresh token", async () => {
    const { session } = await newPerson(database.db);
    const all = await Promise.all(Array.from({ length: 8 }, () => graceful(session.refreshToken, 60)));
    expect(all.filter(({ accessToken }) => accessToken.length > 0)).toHaveLength(8);
    const [next, ...more] = all.flatMap(({ refreshToken }) => refreshToken ?? []);
    expect(more).toEqual([]);
    await expect(graceful(next, 60)).resolves.toHaveProperty("refreshToken");
  });

  it("ends the session when one comes later than that", async () => {
    const { session } = await newPerson(database.db);
    const { refreshToken } = await graceful(session.refreshToken, 60);
    await database.db
      .update(refreshRecords)
      .set({ usedAt: sql`now() - interval '61 seconds'` })
      .where(eq(refreshRecords.tokenHash, sha256Hex(session.refreshToken ?? "")));
    await expect(graceful(session.refreshToken, 60)).rejects.toEqual(refusedWith("Refresh token revoked"));
    await expect(graceful(refreshToken, 60)).rejects.toEqual(refusedWith("Refresh token revoked"));
  });

  it("lets nothing pass once the session is over", async () => {
    const { session, caller } = await newPerson(database.db);
    await graceful(session.refreshToken, 60);
    await endSession(database, caller, caller.sessionId, CLIENT);
    await expect(graceful(session.refreshToken, 60)).rejects.toEqual(refusedWith("Refresh token revoked"));
  });
});
