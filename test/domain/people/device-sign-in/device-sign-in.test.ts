import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditLog, deviceSignIns, sessions, users } from "#src/db/schema/index.ts";
import { authenticateUser } from "#src/domain/organisations/access/index.ts";
import {
  beginDeviceSignIn,
  decideDeviceSignIn,
  lookUpDeviceSignIn,
  pollDeviceSignIn,
} from "#src/domain/people/device-sign-in/index.ts";
import {
  endSession,
  listSessions,
  refreshSession,
  sessionBeganWithin,
} from "#src/domain/people/sessions/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import type { AttemptLimits } from "#src/platform/objects/attempt-limits.ts";
import { openDatabase } from "#test/support/database.ts";
import { MemoryAttempts } from "#test/support/memory-attempts.ts";
import { changeOwnAccount, CLIENT, newPerson, sessionDeps } from "#test/support/people.ts";

const SECRET_KEY = "a-secret-key-for-tests-of-32-characters";
const LAPTOP = "workspace CLI on laptop";
const PROGRAM = { address: "198.51.100.7", userAgent: "workspace-cli/1.0" };

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(async () => {
  await database.close();
});

type Person = Awaited<ReturnType<typeof newPerson>>;

function deps(attempts?: AttemptLimits) {
  const { config, ...others } = sessionDeps(database.db);
  return { ...others, config: { ...config, SECRET_KEY }, ...(attempts && { attempts }) };
}

let programs = 0;
/** Each from an address of its own, since the open sign-ins of an address are limited. */
const begin = (client = { ...PROGRAM, address: `198.51.100.${(programs += 1)}` }) =>
  beginDeviceSignIn(deps(), LAPTOP, client);
const decide = (person: Person, userCode: string, decision: "approve" | "deny" = "approve") =>
  decideDeviceSignIn(deps(), person.caller, { userCode, decision }, CLIENT);
const lookUp = (person: Person, userCode: string) =>
  lookUpDeviceSignIn(deps(), person.caller, userCode, CLIENT);
const poll = (deviceCode: string) => pollDeviceSignIn(deps(), deviceCode, PROGRAM);

const rowOf = (deviceCode: string) => eq(deviceSignIns.deviceCodeHash, sha256Hex(deviceCode));

/** As if so many seconds had passed since the sign-in began and was last polled. */
async function age(deviceCode: string, seconds: number): Promise<void> {
  const earlier = sql`make_interval(secs => ${seconds})`;
  await database.db
    .update(deviceSignIns)
    .set({
      expiresAt: sql`${deviceSignIns.expiresAt} - ${earlier}`,
      polledAt: sql`${deviceSignIns.polledAt} - ${earlier}`,
    })
    .where(rowOf(deviceCode));
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
    const [row] = await database.db.select().from(deviceSignIns).where(rowOf(begun.deviceCode));
    const stored = JSON.stringify(row);
    const letters = begun.userCode.replace("-", "");
    for (const secret of [begun.deviceCode, begun.userCode, letters, sha256Hex(letters)]) {
      expect(stored).not.toContain(secret);
    }
  });

  it("has one session of the person who approved, out of eight polls at once", async () => {
    const person = await newPerson(database.db);
    const { deviceCode, userCode } = await begin();
    await decide(person, userCode);
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => poll(deviceCode)));
    const [session, ...more] = outcomes.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    expect(more).toEqual([]);
    const caller = await authenticateUser(deps(), session?.accessToken ?? "");
    expect(caller).toMatchObject({ userId: person.user.id, isSuperuser: person.user.isSuperuser });
    expect(caller?.sessionId).not.toBe(person.caller.sessionId);
    await expect(poll(deviceCode)).rejects.toEqual(refusal("invalid_grant"));
    await expect(refreshSession(deps(), session?.refreshToken, PROGRAM)).resolves.toBeDefined();
  });

  it("is listed and noted under its own name, from where it polled, and ended like any other session", async () => {
    const person = await newPerson(database.db);
    const { deviceCode, userCode } = await begin();
    await decide(person, userCode);
    const { refreshToken } = await poll(deviceCode);
    const listed = await listSessions(deps(), person.caller);
    expect(listed).toHaveLength(2);
    expect(new Set(listed.map(({ clientName }) => clientName))).toEqual(new Set([LAPTOP, null]));
    const own = listed.find(({ clientName }) => clientName === LAPTOP);
    expect(own).toMatchObject({ ipAddress: PROGRAM.address, userAgent: PROGRAM.userAgent, isCurrent: false });
    const log = await database.db
      .select()
      .from(auditLog)
      .where(eq(auditLog.userId, person.user.id))
      .orderBy(auditLog.id);
    expect(log.slice(-2)).toEqual([
      expect.objectContaining({
        action: "device_sign_in.approved",
        details: { client_name: LAPTOP, ip_address: expect.stringMatching(/^198\.51\.100\./u) },
        ipAddress: CLIENT.address,
      }),
      expect.objectContaining({
        action: "session.started",
        details: { method: "device" },
        ipAddress: PROGRAM.address,
      }),
    ]);
    await endSession(deps(), person.caller, own?.id ?? "", CLIENT);
    await expect(refreshSession(deps(), refreshToken, PROGRAM)).rejects.toMatchObject({
      code: "unauthenticated",
    });
  });

  it("waits, and longer after each poll that is too early", async () => {
    const person = await newPerson(database.db);
    const { deviceCode, userCode } = await begin();
    await expect(poll(deviceCode)).rejects.toEqual(refusal("authorization_pending"));
    await expect(poll(deviceCode)).rejects.toEqual(refusal("slow_down"));
    await age(deviceCode, 7);
    await expect(poll(deviceCode)).rejects.toEqual(refusal("slow_down"));
    await age(deviceCode, 16);
    await expect(poll(deviceCode)).rejects.toEqual(refusal("authorization_pending"));
    await decide(person, userCode);
    await expect(poll(deviceCode)).rejects.toEqual(refusal("slow_down"));
    await age(deviceCode, 21);
    await expect(poll(deviceCode)).resolves.toBeDefined();
  });

  it("is told that it was denied, every time, and that it is too late, also after an approval", async () => {
    const person = await newPerson(database.db);
    const [denied, late] = [await begin(), await begin()];
    await decide(person, denied.userCode, "deny");
    await decide(person, late.userCode);
    await expect(poll(denied.deviceCode)).rejects.toEqual(refusal("access_denied"));
    await age(denied.deviceCode, 6);
    await expect(poll(denied.deviceCode)).rejects.toEqual(refusal("access_denied"));
    await age(late.deviceCode, 600);
    await expect(poll(late.deviceCode)).rejects.toEqual(refusal("expired_token"));
  });

  it("begins again when the service stopped between the session and the answer", async () => {
    const person = await newPerson(database.db);
    const { deviceCode, userCode } = await begin();
    await decide(person, userCode);
    const accessTokens = {
      ...deps().accessTokens,
      issue: () => Promise.reject(new Error("The service stopped")),
    };
    await expect(pollDeviceSignIn({ ...deps(), accessTokens }, deviceCode, PROGRAM)).rejects.toThrow(
      "stopped",
    );
    await age(deviceCode, 6);
    await expect(poll(deviceCode)).rejects.toEqual(refusal("invalid_grant"));
    const again = await begin();
    await decide(person, again.userCode);
    await expect(poll(again.deviceCode)).resolves.toBeDefined();
  });

  it("has at most ten open codes in a network, also at once, and another after a decision", async () => {
    const person = await newPerson(database.db);
    const client = { ...PROGRAM, address: "2001:db8::1" };
    const neighbour = { ...PROGRAM, address: "2001:db8::2" };
    const outcomes = await Promise.allSettled(Array.from({ length: 11 }, () => begin(client)));
    const begun = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    expect(begun).toHaveLength(10);
    const refused = await begin(neighbour).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "rate_limited", retryAfterSeconds: expect.any(Number) });
    await decide(person, begun[0]?.userCode ?? "", "deny");
    await expect(begin(neighbour)).resolves.toBeDefined();
    await expect(begin({ ...PROGRAM, address: "2001:db8:0:1::1" })).resolves.toBeDefined();
  });
});

/** What happens to the approver between the approval and the poll. */
const CHANGES: Record<string, (person: Person) => Promise<unknown>> = {
  "the approving session ends": ({ caller }) => endSession(deps(), caller, caller.sessionId, CLIENT),
  "the approving session expires": ({ caller }) =>
    database.db
      .update(sessions)
      .set({ expiresAt: sql`now()` })
      .where(eq(sessions.id, caller.sessionId)),
  "the account is disabled": ({ user }) =>
    database.db.update(users).set({ isActive: false }).where(eq(users.id, user.id)),
  "the password is changed": ({ user }) => changeOwnAccount(deps(), user.id, { password: "another horse" }),
};

describe("an approval is void when", () => {
  it.each(Object.entries(CHANGES))("%s before the program asks", async (_, change) => {
    const person = await newPerson(database.db);
    const { deviceCode, userCode } = await begin();
    await decide(person, userCode);
    await change(person);
    await expect(poll(deviceCode)).rejects.toEqual(refusal("access_denied"));
  });
});

describe("a person with a user code", () => {
  it("sees who asks, however the code is typed", async () => {
    const person = await newPerson(database.db);
    const client = { ...PROGRAM, address: "198.51.100.200" };
    const { userCode } = await begin(client);
    for (const typed of [userCode, userCode.toLowerCase(), ` ${userCode.replace("-", "")} `]) {
      expect(await lookUp(person, typed)).toMatchObject({ clientName: LAPTOP, ipAddress: client.address });
    }
  });

  it("decides alone: of four people at once, one does", async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => newPerson(database.db)));
    const { deviceCode, userCode } = await begin();
    const outcomes = await Promise.allSettled(people.map((person) => decide(person, userCode)));
    const winner = people[outcomes.findIndex(({ status }) => status === "fulfilled")];
    const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(refused).toHaveLength(3);
    for (const reason of refused) expect(reason).toMatchObject({ code: "conflict" });
    const { accessToken } = await poll(deviceCode);
    expect((await authenticateUser(deps(), accessToken))?.userId).toBe(winner?.user.id);
    const approvals = await database.db
      .select({ userId: auditLog.userId })
      .from(auditLog)
      .innerJoin(deviceSignIns, sql`${deviceSignIns.id}::text = ${auditLog.resourceId}`)
      .where(rowOf(deviceCode));
    expect(approvals).toEqual([{ userId: winner?.user.id }]);
  });

  it("decides once: a denial is not followed by an approval, nor the reverse", async () => {
    const person = await newPerson(database.db);
    for (const [first, second] of [
      ["deny", "approve"],
      ["approve", "deny"],
    ] as const) {
      const { userCode } = await begin();
      await decide(person, userCode, first);
      await expect(decide(person, userCode, second)).rejects.toMatchObject({ code: "conflict" });
      await expect(lookUp(person, userCode)).rejects.toMatchObject({ code: "conflict" });
    }
  });

  it("is told that a code has expired", async () => {
    const person = await newPerson(database.db);
    const { deviceCode, userCode } = await begin();
    await age(deviceCode, 600);
    await expect(lookUp(person, userCode)).rejects.toMatchObject({ code: "gone" });
    await expect(decide(person, userCode)).rejects.toMatchObject({ code: "gone" });
  });

  it("guesses five times, and not a sixth, even the right one; right codes do not count", async () => {
    const person = await newPerson(database.db);
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
  const person = await newPerson(database.db);
  const { deviceCode, userCode } = await begin();
  await decide(person, userCode);
  const caller = await authenticateUser(deps(), (await poll(deviceCode)).accessToken);
  expect(await sessionBeganWithin(database.db, person.caller.sessionId, 10)).toBe(true);
  expect(await sessionBeganWithin(database.db, caller?.sessionId ?? "", 10)).toBe(false);
});
