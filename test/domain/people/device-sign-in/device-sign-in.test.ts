import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { auditLog, deviceSignIns, sessions, users } from "#src/db/schema/index.ts";
import { authenticateUser } from "#src/domain/access/permissions/index.ts";
import {
  beginDeviceSignIn,
  decideDeviceSignIn,
  lookUpDeviceSignIn,
  pollDeviceSignIn,
} from "#src/domain/people/device-sign-in/index.ts";
import {
  endOtherSessions,
  endSession,
  listSessions,
  refreshSession,
  sessionBeganWithin,
} from "#src/domain/access/sessions/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import type { AttemptLimits } from "#src/domain/operations/limits/index.ts";
import { allAtOnce, timesAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import { holdOpen, onlyEmbedded, untilWaiting } from "#test/support/held-open.ts";
import { MemoryAttempts } from "#test/support/memory-attempts.ts";
import { changeOwnAccount, CLIENT, newPerson, sessionDeps } from "#test/support/people.ts";

const SECRET_KEY = "a-secret-key-for-tests-of-32-characters";
const LAPTOP = "workspace CLI on laptop";
const PROGRAM = { address: "198.51.100.7", userAgent: "workspace-cli/1.0" };

const { db } = await fileDatabase();

type Person = Awaited<ReturnType<typeof newPerson>>;

function deps(attempts?: AttemptLimits) {
  const { config, ...others } = sessionDeps(db);
  return { ...others, config: { ...config, SECRET_KEY }, ...(attempts && { attempts }) };
}

const from = (address: string) => ({ ...PROGRAM, address });
let programs = 0;
/** Each from an address of its own, since the open sign-ins of an address are limited. */
const begin = (client = from(`198.51.100.${(programs += 1)}`)) => beginDeviceSignIn(deps(), LAPTOP, client);
const decide = (person: Person, userCode: string, decision: "approve" | "deny" = "approve") =>
  decideDeviceSignIn(deps(), person.caller, { userCode, decision }, CLIENT);
const lookUp = (person: Person, userCode: string) =>
  lookUpDeviceSignIn(deps(), person.caller, userCode, CLIENT);
const poll = (deviceCode: string) => pollDeviceSignIn(deps(), deviceCode, PROGRAM);

/** A sign-in that a person has approved. */
async function approved(by?: Person) {
  const person = by ?? (await newPerson(db));
  const begun = await begin();
  await decide(person, begun.userCode);
  return { person, ...begun };
}

const rowOf = (deviceCode: string) => eq(deviceSignIns.deviceCodeHash, sha256Hex(deviceCode));

/** As if so many seconds had passed since the sign-in began. */
async function age(deviceCode: string, seconds: number): Promise<void> {
  const expiresAt = sql`${deviceSignIns.expiresAt} - make_interval(secs => ${seconds})`;
  await db.update(deviceSignIns).set({ expiresAt }).where(rowOf(deviceCode));
}

/** As if so many seconds had passed since the last poll. */
async function waitToPoll(deviceCode: string, seconds: number): Promise<void> {
  const polledAt = sql`${deviceSignIns.polledAt} - make_interval(secs => ${seconds})`;
  await db.update(deviceSignIns).set({ polledAt }).where(rowOf(deviceCode));
}

const refusal = (error: string) => expect.objectContaining({ code: "invalid_input", extra: { error } });

describe("a program that signs in", () => {
  it("gets two codes, neither of which is stored, and an address with the code in the fragment", async () => {
    const begun = await begin();
    expect(begun).toMatchObject({
      expiresIn: 600,
      interval: 5,
      verificationUri: "https://service.test/device",
    });
    expect(begun.userCode).toMatch(/^[BCDFGHJKMPRSTWXZ]{4}-[BCDFGHJKMPRSTWXZ]{4}$/u);
    expect(begun.verificationUriComplete).toBe(`https://service.test/device#code=${begun.userCode}`);
    const [row] = await db.select().from(deviceSignIns).where(rowOf(begun.deviceCode));
    const stored = JSON.stringify(row);
    const letters = begun.userCode.replace("-", "");
    for (const secret of [begun.deviceCode, begun.userCode, letters, sha256Hex(letters)]) {
      expect(stored).not.toContain(secret);
    }
  });

  it("has one session of the person who approved, out of eight polls at once", async () => {
    const { person, deviceCode } = await approved();
    const { done, refused } = await timesAtOnce(8, () => poll(deviceCode));
    expect(refused).toHaveLength(7);
    const caller = await authenticateUser(deps(), done[0]?.accessToken ?? "");
    expect(caller).toMatchObject({ userId: person.user.id, isSuperuser: person.user.isSuperuser });
    expect(caller?.sessionId).not.toBe(person.caller.sessionId);
    await expect(poll(deviceCode)).rejects.toEqual(refusal("invalid_grant"));
    await expect(refreshSession(deps(), done[0]?.refreshToken, PROGRAM)).resolves.toBeDefined();
  });

  it("is listed and noted under its own name, from where it polled, and ended like any other session", async () => {
    const { person, deviceCode } = await approved();
    const { refreshToken } = await poll(deviceCode);
    const listed = await listSessions(deps(), person.caller);
    expect(new Set(listed.map(({ clientName }) => clientName))).toEqual(new Set([LAPTOP, null]));
    const own = listed.find(({ clientName }) => clientName === LAPTOP);
    expect(own).toMatchObject({ ipAddress: PROGRAM.address, userAgent: PROGRAM.userAgent, isCurrent: false });
    const mine = eq(auditLog.userId, person.user.id);
    const log = await db.select().from(auditLog).where(mine).orderBy(auditLog.id);
    expect(log.slice(-2)).toMatchObject([
      {
        action: "device_sign_in.approved",
        details: { client_name: LAPTOP, ip_address: expect.stringMatching(/^198\.51\.100\./u) },
        ipAddress: CLIENT.address,
      },
      { action: "session.started", details: { method: "device" }, ipAddress: PROGRAM.address },
    ]);
    await endSession(deps(), person.caller, own?.id ?? "", CLIENT);
    const refreshed = refreshSession(deps(), refreshToken, PROGRAM);
    await expect(refreshed).rejects.toMatchObject({ code: "unauthenticated" });
  });

  it("waits, and longer after each poll that is too early", async () => {
    const person = await newPerson(db);
    const { deviceCode, userCode } = await begin();
    await expect(poll(deviceCode)).rejects.toEqual(refusal("authorization_pending"));
    const interval = async () =>
      (await db.select().from(deviceSignIns).where(rowOf(deviceCode)))[0]?.intervalSeconds;
    expect(await interval()).toBe(5);
    // An hour, within which the next poll surely is.
    await db.update(deviceSignIns).set({ intervalSeconds: 3600 }).where(rowOf(deviceCode));
    await expect(poll(deviceCode)).rejects.toEqual(refusal("slow_down"));
    expect(await interval()).toBe(3605);
    await waitToPoll(deviceCode, 1800);
    await expect(poll(deviceCode)).rejects.toEqual(refusal("slow_down"));
    await waitToPoll(deviceCode, 3610);
    await expect(poll(deviceCode)).rejects.toEqual(refusal("authorization_pending"));
    await decide(person, userCode);
    await expect(poll(deviceCode)).rejects.toEqual(refusal("slow_down"));
    await waitToPoll(deviceCode, 3615);
    await expect(poll(deviceCode)).resolves.toBeDefined();
  });

  it("is told that it was denied, every time, and that it is too late, also after an approval", async () => {
    const person = await newPerson(db);
    const [denied, late] = [await begin(), await begin()];
    await decide(person, denied.userCode, "deny");
    await decide(person, late.userCode);
    await expect(poll(denied.deviceCode)).rejects.toEqual(refusal("access_denied"));
    await waitToPoll(denied.deviceCode, 6);
    await expect(poll(denied.deviceCode)).rejects.toEqual(refusal("access_denied"));
    await age(late.deviceCode, 600);
    await expect(poll(late.deviceCode)).rejects.toEqual(refusal("expired_token"));
  });

  it("begins again when the service stopped between the session and the answer", async () => {
    const { person, deviceCode } = await approved();
    const stopping = {
      ...deps().accessTokens,
      issue: () => Promise.reject(new Error("The service stopped")),
    };
    await expect(
      pollDeviceSignIn({ ...deps(), accessTokens: stopping }, deviceCode, PROGRAM),
    ).rejects.toThrow("stopped");
    await waitToPoll(deviceCode, 6);
    await expect(poll(deviceCode)).rejects.toEqual(refusal("invalid_grant"));
    const again = await approved(person);
    await expect(poll(again.deviceCode)).resolves.toBeDefined();
  });

  it("has at most ten open codes in a network, also at once, and another after a decision", async () => {
    const { done } = await timesAtOnce(11, () => begin(from("2001:db8::1")));
    expect(done).toHaveLength(10);
    const limited = { code: "rate_limited", retryAfterSeconds: expect.any(Number) };
    await expect(begin(from("2001:db8::2"))).rejects.toMatchObject(limited);
    await decide(await newPerson(db), done[0]?.userCode ?? "", "deny");
    await expect(begin(from("2001:db8::2"))).resolves.toBeDefined();
    await expect(begin(from("2001:db8:0:1::1"))).resolves.toBeDefined();
  });
});

describe("an approval is void when", () => {
  it.each<[string, (person: Person) => Promise<unknown>]>([
    ["the approving session ends", ({ caller }) => endSession(deps(), caller, caller.sessionId, CLIENT)],
    [
      "the approving session expires",
      ({ caller }) =>
        db
          .update(sessions)
          .set({ expiresAt: sql`now()` })
          .where(eq(sessions.id, caller.sessionId)),
    ],
    [
      "the account is disabled",
      ({ user }) => db.update(users).set({ isActive: false }).where(eq(users.id, user.id)),
    ],
    [
      "the password is changed",
      ({ user }) => changeOwnAccount(deps(), user.id, { password: "another horse" }),
    ],
  ])("%s before the program asks", async (_, change) => {
    const { person, deviceCode } = await approved();
    await change(person);
    await expect(poll(deviceCode)).rejects.toEqual(refusal("access_denied"));
  });

  it.skipIf(onlyEmbedded())("the approving session ends while the program asks", async () => {
    const { person, deviceCode } = await approved();
    const { caller, user } = person;
    const team = sql`SELECT FROM teams WHERE id = ${user.defaultTeamId} FOR UPDATE`;
    const held = await holdOpen(db, db.execute(team));
    const polled = poll(deviceCode).catch((error: unknown) => error);
    await untilWaiting(db, 1);
    const elsewhere = { ...caller, sessionId: newId() };
    const ended = endOtherSessions({ db }, elsewhere, CLIENT);
    // Its entry in the log waits, too.
    await untilWaiting(db, 2);
    await held.release();
    await ended;
    expect(await polled).toMatchObject({ code: "conflict" });
    expect(await listSessions({ db }, caller)).toEqual([]);
  });
});

describe("a person with a user code", () => {
  it("sees who asks, however the code is typed", async () => {
    const person = await newPerson(db);
    const client = { ...PROGRAM, address: "198.51.100.200" };
    const { userCode } = await begin(client);
    for (const typed of [userCode, userCode.toLowerCase(), ` ${userCode.replace("-", "")} `]) {
      expect(await lookUp(person, typed)).toMatchObject({ clientName: LAPTOP, ipAddress: client.address });
    }
  });

  it("decides alone and once: of four people at once, one does", async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => newPerson(db)));
    const { deviceCode, userCode } = await begin();
    const { refused } = await allAtOnce(people.map((person) => decide(person, userCode)));
    expect(refused).toMatchObject(Array.from({ length: 3 }, () => ({ code: "conflict" })));
    const { accessToken } = await poll(deviceCode);
    const approvals = await db
      .select({ userId: auditLog.userId })
      .from(auditLog)
      .innerJoin(deviceSignIns, sql`${deviceSignIns.id}::text = ${auditLog.resourceId}`)
      .where(rowOf(deviceCode));
    expect(approvals).toEqual([{ userId: (await authenticateUser(deps(), accessToken))?.userId }]);
    for (const person of people.slice(0, 2)) {
      await expect(lookUp(person, userCode)).rejects.toMatchObject({ code: "conflict" });
      await expect(decide(person, userCode, "deny")).rejects.toMatchObject({ code: "conflict" });
    }
  });

  it("is told that a code has expired", async () => {
    const person = await newPerson(db);
    const { deviceCode, userCode } = await begin();
    await age(deviceCode, 600);
    await expect(lookUp(person, userCode)).rejects.toMatchObject({ code: "gone" });
    await expect(decide(person, userCode)).rejects.toMatchObject({ code: "gone" });
  });

  it("guesses five times, and not a sixth, even the right one; right codes do not count", async () => {
    const person = await newPerson(db);
    const { userCode } = await begin();
    const limited = deps(new MemoryAttempts({ personCode: 5 }));
    const enter = (code: string) => lookUpDeviceSignIn(limited, person.caller, code, CLIENT);
    for (let time = 1; time <= 8; time += 1) await enter(userCode);
    for (let guess = 1; guess <= 5; guess += 1) {
      await expect(enter("BBBB-BBBB")).rejects.toMatchObject({ code: "not_found" });
    }
    await expect(enter(userCode)).rejects.toMatchObject({ code: "rate_limited" });
    await expect(
      decideDeviceSignIn(limited, person.caller, { userCode, decision: "approve" }, CLIENT),
    ).rejects.toMatchObject({ code: "rate_limited" });
  });
});

it("a session of a program is never a fresh proof of who its person is", async () => {
  const { person, deviceCode } = await approved();
  const caller = await authenticateUser(deps(), (await poll(deviceCode)).accessToken);
  expect(await sessionBeganWithin(db, person.caller.sessionId, 10)).toBe(true);
  expect(await sessionBeganWithin(db, caller?.sessionId ?? "", 10)).toBe(false);
});
