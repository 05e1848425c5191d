import { describe, expect, it } from "vitest";
import { eq, type SQL, sql } from "drizzle-orm";
import { refreshRecords, sessions, users } from "#src/db/schema/index.ts";
import {
  endOtherSessions,
  endSession,
  listSessions,
  logOut,
  refreshSession,
  type Session,
  startSession,
} from "#src/domain/access/sessions/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { authenticateUser } from "#src/domain/access/permissions/index.ts";
import { auditEntries } from "#test/domain/access/support/audit-entries.ts";
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
    const log = await auditEntries(db, { userId: caller.userId });
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

  it.each<[string, string, (person: Awaited<ReturnType<typeof newPerson>>) => Promise<unknown>]>([
    ["after its time", "Refresh token expired", ({ session }) => age(session, { expiresAt: sql`now()` })],
    [
      "when the account is no longer active",
      "User inactive or not found",
      ({ user }) => db.update(users).set({ isActive: false }).where(eq(users.id, user.id)),
    ],
    [
      "after logging out, which may be done twice",
      "Refresh token revoked",
      async ({ session: { refreshToken } }) => {
        const tokens = { refreshToken, accessToken: undefined };
        for (const askedAt of [new Date(), new Date()])
          await logOut(deps, tokens, { askedAt, client: CLIENT });
      },
    ],
  ])("is refused %s", async (_, message, change) => {
    const person = await newPerson(db);
    await change(person);
    await expect(refresh(person.session.refreshToken)).rejects.toEqual(refusedWith(message));
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

const isOver = async ({ accessToken }: Session) => (await authenticateUser(deps, accessToken)) === undefined;
const signIn = (user: { id: string; isSuperuser: boolean }) =>
  startSession(deps, user, { address: "192.0.2.7", userAgent: "another device" }, "password");

/** A moment that everything so far came before. */
const later = () => new Date(Date.now() + 60_000);

describe("logging out", () => {
  it.each([
    ["the refresh token", ({ refreshToken }: Session) => ({ refreshToken, accessToken: undefined })],
    ["the access token", ({ accessToken }: Session) => ({ refreshToken: undefined, accessToken })],
  ])("with %s ends every session, access tokens too", async (_, tokensOf) => {
    const { user, session } = await newPerson(db);
    const other = await signIn(user);
    await logOut(deps, tokensOf(session), { askedAt: later(), client: CLIENT });
    expect([await isOver(session), await isOver(other)]).toEqual([true, true]);
  });

  it("with tokens of two people is noted for each of them", async () => {
    const [ann, bob] = [await newPerson(db), await newPerson(db)];
    await signIn(bob.user);
    const tokens = { accessToken: ann.session.accessToken, refreshToken: bob.session.refreshToken };
    await logOut(deps, tokens, { askedAt: later(), client: CLIENT });
    for (const [{ user }, ended] of [
      [ann, 1],
      [bob, 2],
    ] as const) {
      const log = await auditEntries(db, { userId: user.id });
      const [entry, ...more] = log.filter(({ action }) => action === "session.logged_out");
      expect([entry, more]).toMatchObject([{ teamId: user.defaultTeamId, details: { ended } }, []]);
    }
  });

  it("lets a session be that began after it was asked for", async () => {
    const { user, session } = await newPerson(db);
    const askedAt = new Date(0);
    const next = await signIn(user);
    const tokens = { refreshToken: session.refreshToken, accessToken: undefined };
    await logOut(deps, tokens, { askedAt, client: CLIENT });
    expect([await isOver(session), await isOver(next)]).toEqual([true, false]);
  });

  it("with tokens of a session that is over, or with made-up ones, ends nothing", async () => {
    const { user, session, caller } = await newPerson(db);
    const next = await signIn(user);
    await endSession(database, caller, caller.sessionId, CLIENT);
    for (const tokens of [session, { refreshToken: "garbage", accessToken: "garbage" }]) {
      const { refreshToken, accessToken } = tokens;
      await logOut(deps, { refreshToken, accessToken }, { askedAt: later(), client: CLIENT });
    }
    expect(await isOver(next)).toBe(false);
  });
});

describe("a list of sessions", () => {
  it("tells devices, addresses and the current one apart; ended ones are gone", async () => {
    const { user, caller } = await newPerson(db);
    await signIn(user);
    const shown = await listSessions(database, caller);
    expect(shown.toSorted((one, other) => Number(other.isCurrent) - Number(one.isCurrent))).toMatchObject([
      { id: caller.sessionId, isCurrent: true, ipAddress: CLIENT.address },
      { isCurrent: false, userAgent: "another device", ipAddress: "192.0.2.7" },
    ]);
    expect(await endOtherSessions(database, caller, CLIENT)).toBe(1);
    expect(await listSessions(database, caller)).toMatchObject([{ id: caller.sessionId }]);
  });

  it("has one order, also of those that were used in the same moment", async () => {
    const { user, caller } = await newPerson(db);
    for (let nth = 0; nth < 3; nth += 1) await signIn(user);
    await db
      .update(sessions)
      .set({ lastUsedAt: sql`now()` })
      .where(eq(sessions.userId, user.id));
    const ids = (await listSessions(database, caller)).map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted().toReversed());
  });

  it("does not let a person end another person's session", async () => {
    const [ann, bob] = [await newPerson(db), await newPerson(db)];
    for (const id of [bob.caller.sessionId, "garbage"]) {
      await expect(endSession(database, ann.caller, id, CLIENT)).rejects.toMatchObject({ code: "not_found" });
    }
    expect(await isOver(bob.session)).toBe(false);
  });
});
