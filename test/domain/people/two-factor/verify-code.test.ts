import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLog, loginAttempts, users } from "#src/db/schema/index.ts";
import { authenticateUser } from "#src/domain/access/permissions/index.ts";
import {
  endLoginAttempts,
  requestCode,
  resendCode,
  verifyCode,
} from "#src/domain/people/two-factor/index.ts";
import { useAttempt } from "#src/domain/people/two-factor/queries.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { timesAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import { holdOpen, onlyEmbedded, untilWaiting } from "#test/support/held-open.ts";
import { mailing, otherThan } from "#test/support/mailbox.ts";
import { changeOwnAccount, CLIENT, newPerson } from "#test/support/people.ts";

const { db } = await fileDatabase();
let mail: ReturnType<typeof mailing>;
beforeEach(() => {
  mail = mailing(db);
});

type Person = Awaited<ReturnType<typeof newPerson>>["user"];

/** A person whose password was right, with the code that was mailed. */
async function begin(user?: Person) {
  const person = user ?? (await newPerson(db)).user;
  const request = await requestCode(mail.deps, person, CLIENT);
  if (!request) throw new Error("No code was mailed");
  return { user: person, tempToken: request.tempToken, code: await mail.codeFor(person.email) };
}

const verify = (tempToken: string, code: string) => verifyCode(mail.deps, { tempToken, code }, CLIENT);
const rowOf = (tempToken: string) => eq(loginAttempts.tokenHash, sha256Hex(tempToken));
const actionsOf = async ({ id }: Person) =>
  (await db.select().from(auditLog).where(eq(auditLog.userId, id))).map(({ action }) => action);

const refusedWith = (message: string) => expect.objectContaining({ code: "unauthenticated", message });
const SESSION = refusedWith("Invalid or expired verification session");
const CODE = refusedWith("Invalid or expired code");

describe("a mailed code", () => {
  it("opens a session of its owner, and is noted", async () => {
    const { user, tempToken, code } = await begin();
    const session = await verify(tempToken, code);
    const caller = await authenticateUser(mail.deps, session.accessToken);
    expect(caller?.userId).toBe(user.id);
    expect(await actionsOf(user)).toEqual(
      expect.arrayContaining(["two_factor.code_sent", "two_factor.verified", "session.started"]),
    );
  });

  it("is stored as a hash, and so is the temporary token", async () => {
    const { tempToken, code } = await begin();
    const [row] = await db.select().from(loginAttempts).where(rowOf(tempToken));
    expect(row?.codeHash).toMatch(/^\$argon2id\$v=19\$m=8,t=2,p=1\$/u);
    expect(JSON.stringify(row)).not.toContain(tempToken);
    expect(Object.values(row ?? {})).not.toContain(code);
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ["has another address", (id) => changeOwnAccount(mail.deps, id, { email: `new-${id}@example.com` })],
    ["has another password", (id) => changeOwnAccount(mail.deps, id, { password: "another horse" })],
    ["is not active", (id) => db.update(users).set({ isActive: false }).where(eq(users.id, id))],
    [
      "has waited too long with it",
      (id) =>
        db
          .update(loginAttempts)
          .set({ expiresAt: sql`now()` })
          .where(eq(loginAttempts.userId, id)),
    ],
  ])("is void once the account %s, and no other one is sent", async (_, change) => {
    const { user, tempToken, code } = await begin();
    await change(user.id);
    await expect(resendCode(mail.deps, tempToken, CLIENT)).rejects.toEqual(SESSION);
    await expect(verify(tempToken, code)).rejects.toEqual(SESSION);
  });

  it("is good once, also when eight come at once", async () => {
    const { tempToken, code } = await begin();
    const { refused } = await timesAtOnce(8, () => verify(tempToken, code));
    expect(refused).toEqual(Array.from({ length: 7 }, () => SESSION));
  });

  it("is looked at five times of twelve wrong ones that come at once, and then not at all", async () => {
    const { user, tempToken, code } = await begin();
    const { refused } = await timesAtOnce(12, () => verify(tempToken, otherThan(code)));
    expect(refused).toHaveLength(12);
    expect(refused.filter(({ message }) => message === "Invalid or expired code")).toHaveLength(5);
    await expect(verify(tempToken, code)).rejects.toEqual(SESSION);
    await expect(resendCode(mail.deps, tempToken, CLIENT)).rejects.toEqual(SESSION);
    expect((await actionsOf(user)).filter((action) => action === "two_factor.exhausted")).toHaveLength(1);
  });

  it("of another length or of other letters is a wrong one, and counts", async () => {
    const { tempToken, code } = await begin();
    for (const wrong of [code.slice(1), `${code}0`, "١٢٣٤٥٦", ""]) {
      await expect(verify(tempToken, wrong)).rejects.toEqual(CODE);
    }
    const [row] = await db.select().from(loginAttempts).where(rowOf(tempToken));
    expect(row?.attempts).toBe(4);
  });

  it("opens no session of another login, be it of the same person", async () => {
    const one = await begin();
    const other = await begin(one.user);
    await expect(verify(one.tempToken, other.code)).rejects.toEqual(CODE);
    await expect(verify(one.tempToken, one.code)).resolves.toBeDefined();
    await expect(verify(other.tempToken, other.code)).resolves.toBeDefined();
  });

  it("needs a token that is ours", async () => {
    await expect(verify("\u{1f600}", "123456")).rejects.toEqual(SESSION);
    await expect(resendCode(mail.deps, "", CLIENT)).rejects.toEqual(SESSION);
  });

  it("is no good after its time, and another one is", async () => {
    const { user, tempToken, code } = await begin();
    const past = sql`now() - interval '1 second'`;
    await db.update(loginAttempts).set({ codeExpiresAt: past }).where(rowOf(tempToken));
    await expect(verify(tempToken, code)).rejects.toEqual(CODE);
    await resendCode(mail.deps, tempToken, CLIENT);
    await expect(verify(tempToken, await mail.codeFor(user.email))).resolves.toBeDefined();
  });
});

describe("another code", () => {
  it("is the only good one, and brings no attempts back", async () => {
    const { user, tempToken, code: first } = await begin();
    for (let time = 1; time <= 3; time += 1) {
      await expect(verify(tempToken, otherThan(first))).rejects.toEqual(CODE);
    }
    expect(await resendCode(mail.deps, tempToken, CLIENT)).toBe("sent");
    await expect(verify(tempToken, first)).rejects.toEqual(CODE);
    await resendCode(mail.deps, tempToken, CLIENT);
    const third = await mail.codeFor(user.email);
    await expect(verify(tempToken, otherThan(third))).rejects.toEqual(CODE);
    await expect(verify(tempToken, third)).rejects.toEqual(SESSION);
  });

  it("voids the one before also where that was just found right", async () => {
    const { tempToken } = await begin();
    const [before] = await db.select().from(loginAttempts).where(rowOf(tempToken));
    await resendCode(mail.deps, tempToken, CLIENT);
    expect(before && (await useAttempt(db, before))).toBeUndefined();
  });

  it("does not outlive its login", async () => {
    const { tempToken } = await begin();
    const soon = sql`now() + interval '55 seconds'`;
    await db.update(loginAttempts).set({ expiresAt: soon }).where(rowOf(tempToken));
    await resendCode(mail.deps, tempToken, CLIENT);
    const [row] = await db.select().from(loginAttempts).where(rowOf(tempToken));
    expect(row?.codeExpiresAt).toEqual(row?.expiresAt);
    expect(mail.sent.at(-1)?.text).toContain("1 minute.");
  });
});

describe("a code that the mail server does not take", () => {
  it("is tried again by the queue, and good when it comes", async () => {
    const { user } = await newPerson(db);
    mail.server.answers = false;
    const request = await requestCode(mail.deps, user, CLIENT);
    expect(request?.delivery).toBe("retrying");
    mail.server.answers = true;
    const code = await mail.codeFor(user.email);
    await expect(verify(request?.tempToken ?? "", code)).resolves.toBeDefined();
  });
});

it.skipIf(onlyEmbedded())(
  "a password that changes meanwhile leaves no login that waits for a code, and gets none mailed",
  async () => {
    const { user } = await newPerson(db);
    const ofUser = eq(users.id, user.id);
    const held = await holdOpen(db, db.select().from(users).where(ofUser).for("update"));
    const change = db.batch([
      db.update(users).set({ passwordHash: "another" }).where(ofUser),
      endLoginAttempts(db, user.id),
    ]);
    await untilWaiting(db, 1);
    const request = requestCode(mail.deps, user, CLIENT);
    await untilWaiting(db, 2);
    await held.release();
    await change;
    expect(await request).toBeUndefined();
    expect([mail.sent, await db.$count(loginAttempts, eq(loginAttempts.userId, user.id))]).toEqual([[], 0]);
  },
);
