import { describe, expect, it } from "vitest";
import { eq, type SQL, sql } from "drizzle-orm";
import { auditLog, refreshRecords, users } from "#src/db/schema/index.ts";
import {
  endSession,
  logOut,
  refreshSession,
  startSession,
  type Session,
} from "#src/domain/access/sessions/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { timesAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import { CLIENT, newPerson, sessionDeps } from "#test/support/people.ts";

const database = await fileDatabase();
const { db } = database;

const deps = sessionDeps(db);
const refresh = (token: string | undefined, graceSeconds = 0) => {
  const config = { ...deps.config, REFRESH_REUSE_GRACE_SECONDS: graceSeconds };
  return refreshSession({ ...deps, config }, token, CLIENT);
};
const age = ({ refreshToken }: Session, change: Partial<Record<"expiresAt" | "usedAt", SQL>>) =>
  db
    .update(refreshRecords)
    .set(change)
    .where(eq(refreshRecords.tokenHash, sha256Hex(refreshToken ?? "")));
const refusedWith = (message: string) => expect.objectContaining({ code: "unauthenticated", message });
const REVOKED = refusedWith("Refresh token revoked");

describe("a refresh token", () => {
  it("is good once, and ends its whole session, and no other, when it comes a second time", async () => {
    const { user, session } = await newPerson(db);
    const other = await startSession(deps, user, CLIENT, "password");
    const second = await refresh(session.refreshToken);
    await expect(refresh(session.refreshToken)).rejects.toEqual(REVOKED);
    await expect(refresh(second.refreshToken)).rejects.toEqual(REVOKED);
    await expect(refresh(other.refreshToken)).resolves.toBeDefined();
  });

  it("lets in one of eight refreshes at once, and none afterwards, which is noted once", async () => {
    const { session, caller } = await newPerson(db);
    const { done } = await timesAtOnce(8, () => refresh(session.refreshToken));
    expect(done).toHaveLength(1);
    await expect(refresh(done[0]?.refreshToken)).rejects.toEqual(REVOKED);
    const log = await db.select().from(auditLog).where(eq(auditLog.userId, caller.userId));
    expect(log.filter(({ action }) => action === "session.refresh_reused")).toMatchObject([
      { resourceId: caller.sessionId, ipAddress: CLIENT.address },
    ]);
    const rows = await db.select().from(refreshRecords);
    expect(JSON.stringify(rows)).not.toContain(done[0]?.refreshToken);
  });

  it.each([
    ["none", undefined, "No refresh token"],
    ["an unknown one", "garbage", "Invalid refresh token"],
  ])("is refused when it is %s", async (_, token, message) => {
    await expect(refresh(token)).rejects.toEqual(refusedWith(message));
  });

  it("is refused after its time", async () => {
    const { session } = await newPerson(db);
    await age(session, { expiresAt: sql`now()` });
    await expect(refresh(session.refreshToken)).rejects.toEqual(refusedWith("Refresh token expired"));
  });

  it("is refused when the account is no longer active", async () => {
    const { user, session } = await newPerson(db);
    await db.update(users).set({ isActive: false }).where(eq(users.id, user.id));
    await expect(refresh(session.refreshToken)).rejects.toEqual(refusedWith("User inactive or not found"));
  });

  it("is refused after logging out, which may be done twice", async () => {
    const { session } = await newPerson(db);
    const tokens = { refreshToken: session.refreshToken, accessToken: undefined };
    for (const askedAt of [new Date(), new Date()]) await logOut(deps, tokens, { askedAt, client: CLIENT });
    await expect(refresh(session.refreshToken)).rejects.toEqual(REVOKED);
  });
});

describe("with a grace for tokens that were just used", () => {
  it("lets in all of eight that come at once, one of them with a new refresh token", async () => {
    const { session } = await newPerson(db);
    const all = await Promise.all(Array.from({ length: 8 }, () => refresh(session.refreshToken, 60)));
    expect(all.filter(({ accessToken }) => accessToken.length > 0)).toHaveLength(8);
    const [next, ...more] = all.flatMap(({ refreshToken }) => refreshToken ?? []);
    expect(more).toEqual([]);
    await expect(refresh(next, 60)).resolves.toHaveProperty("refreshToken");
  });

  it("ends the session when one comes later than that", async () => {
    const { session } = await newPerson(db);
    const { refreshToken } = await refresh(session.refreshToken, 60);
    await age(session, { usedAt: sql`now() - interval '61 seconds'` });
    await expect(refresh(session.refreshToken, 60)).rejects.toEqual(REVOKED);
    await expect(refresh(refreshToken, 60)).rejects.toEqual(REVOKED);
  });

  it("lets nothing pass once the session is over", async () => {
    const { session, caller } = await newPerson(db);
    await refresh(session.refreshToken, 60);
    await endSession(database, caller, caller.sessionId, CLIENT);
    await expect(refresh(session.refreshToken, 60)).rejects.toEqual(REVOKED);
  });
});
