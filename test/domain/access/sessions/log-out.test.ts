import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { auditLog, sessions } from "#src/db/schema/index.ts";
import { authenticateUser } from "#src/domain/access/permissions/index.ts";
import {
  endOtherSessions,
  endSession,
  listSessions,
  logOut,
  startSession,
  type Session,
} from "#src/domain/access/sessions/index.ts";
import { fileDatabase } from "#test/support/database.ts";
import { CLIENT, newPerson, sessionDeps } from "#test/support/people.ts";

const database = await fileDatabase();
const { db } = database;

const deps = () => sessionDeps(db);
const isOver = async ({ accessToken }: Session) =>
  (await authenticateUser(deps(), accessToken)) === undefined;
const signIn = (user: { id: string; isSuperuser: boolean }) =>
  startSession(deps(), user, { address: "192.0.2.7", userAgent: "another device" }, "password");

/** A moment that everything so far came before. */
const later = () => new Date(Date.now() + 60_000);

describe("logging out", () => {
  it.each([
    ["the refresh token", ({ refreshToken }: Session) => ({ refreshToken, accessToken: undefined })],
    ["the access token", ({ accessToken }: Session) => ({ refreshToken: undefined, accessToken })],
  ])("with %s ends every session, access tokens too", async (_, tokensOf) => {
    const { user, session } = await newPerson(db);
    const other = await signIn(user);
    await logOut(deps(), tokensOf(session), { askedAt: later(), client: CLIENT });
    expect([await isOver(session), await isOver(other)]).toEqual([true, true]);
  });

  it("with tokens of two people is noted for each of them", async () => {
    const [ann, bob] = [await newPerson(db), await newPerson(db)];
    await signIn(bob.user);
    const tokens = { accessToken: ann.session.accessToken, refreshToken: bob.session.refreshToken };
    await logOut(deps(), tokens, { askedAt: later(), client: CLIENT });
    for (const [{ user }, ended] of [
      [ann, 1],
      [bob, 2],
    ] as const) {
      const log = await db.select().from(auditLog).where(eq(auditLog.userId, user.id));
      const [entry, ...more] = log.filter(({ action }) => action === "session.logged_out");
      expect([entry, more]).toMatchObject([{ teamId: user.defaultTeamId, details: { ended } }, []]);
    }
  });

  it("lets a session be that began after it was asked for", async () => {
    const { user, session } = await newPerson(db);
    const askedAt = new Date(0);
    const next = await signIn(user);
    const tokens = { refreshToken: session.refreshToken, accessToken: undefined };
    await logOut(deps(), tokens, { askedAt, client: CLIENT });
    expect([await isOver(session), await isOver(next)]).toEqual([true, false]);
  });

  it("with tokens of a session that is over, or with made-up ones, ends nothing", async () => {
    const { user, session, caller } = await newPerson(db);
    const next = await signIn(user);
    await endSession(database, caller, caller.sessionId, CLIENT);
    for (const tokens of [session, { refreshToken: "garbage", accessToken: "garbage" }]) {
      const { refreshToken, accessToken } = tokens;
      await logOut(deps(), { refreshToken, accessToken }, { askedAt: later(), client: CLIENT });
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
