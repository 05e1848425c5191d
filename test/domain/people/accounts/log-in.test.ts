import bcrypt from "bcryptjs";
import { eq } from "drizzle-orm";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { loginAttempts, sessions, users } from "#src/db/schema/index.ts";
import { logIn, logInAtOnce } from "#src/domain/people/accounts/index.ts";
import { fileDatabase } from "#test/support/database.ts";
import { mailing } from "#test/support/mailbox.ts";
import { changeOwnAccount, CLIENT, newPerson, PASSWORD } from "#test/support/people.ts";

/** `compare` also has a form with a callback, which the product does not call. */
const promising: { compare(password: string, hash: string): Promise<boolean> } = bcrypt;
const compare = vi.spyOn(promising, "compare");
afterAll(() => {
  compare.mockRestore();
});

const { db } = await fileDatabase();
let mail: ReturnType<typeof mailing>;
beforeEach(() => {
  mail = mailing(db);
  compare.mockClear();
});

/** What the deps are where a password is enough. */
const plain = () => ({ ...mail.deps, config: { ...mail.deps.config, TWO_FA_ENABLED: false } });

const BAD = expect.objectContaining({ code: "invalid_input", message: "LOGIN_BAD_CREDENTIALS" });

async function comparesIn(work: () => Promise<unknown>): Promise<number> {
  const before = compare.mock.calls.length;
  await work().catch(() => {});
  return compare.mock.calls.length - before;
}

describe("logging in", () => {
  it("takes one bcrypt, for an unknown account, a wrong password, an account without one, and the right one", async () => {
    const { user } = await newPerson(db);
    const { user: passwordless } = await newPerson(db);
    const { user: inactive } = await newPerson(db);
    await db.update(users).set({ passwordHash: null }).where(eq(users.id, passwordless.id));
    await db.update(users).set({ isActive: false }).where(eq(users.id, inactive.id));
    for (const [identifier, password] of [
      ["nobody@example.com", PASSWORD],
      [user.email, "wrong horse"],
      [user.username, "x".repeat(500)],
      [passwordless.email, PASSWORD],
      [inactive.email, PASSWORD],
    ] as const) {
      const attempt = () => logIn(plain(), { identifier, password }, CLIENT);
      expect(await comparesIn(attempt)).toBe(1);
      await expect(attempt()).rejects.toEqual(BAD);
    }
    const right = () => logIn(plain(), { identifier: user.email, password: PASSWORD }, CLIENT);
    expect(await comparesIn(right)).toBe(1);
    expect(await right()).toHaveProperty("session");
  });

  it.each([
    ["opens no session", plain, "conflict"],
    ["mails no code", () => mail.deps, "invalid_input"],
  ])("%s for a password that was changed while it was compared", async (_, depsOf, code) => {
    const { user } = await newPerson(db);
    compare.mockImplementationOnce(async () => {
      await changeOwnAccount(mail.deps, user.id, { password: "another horse" });
      return true;
    });
    const credentials = { identifier: user.email, password: PASSWORD };
    await expect(logIn(depsOf(), credentials, CLIENT)).rejects.toMatchObject({ code });
    const rows = await db.select().from(sessions).where(eq(sessions.userId, user.id));
    expect(rows.filter(({ endedAt }) => endedAt === null)).toEqual([]);
    expect([mail.sent, await db.$count(loginAttempts, eq(loginAttempts.userId, user.id))]).toEqual([[], 0]);
  });
});

describe("logging in where a code is needed", () => {
  it("opens no session, and mails a code for the right password only", async () => {
    const { user } = await newPerson(db);
    const wrong = { identifier: user.email, password: "wrong horse" };
    await expect(logIn(mail.deps, wrong, CLIENT)).rejects.toEqual(BAD);
    expect([mail.sent, mail.published]).toEqual([[], []]);
    const outcome = await logIn(mail.deps, { identifier: user.username, password: PASSWORD }, CLIENT);
    expect(outcome).toEqual({
      codeRequest: { tempToken: expect.stringMatching(/^[\w-]{64}$/u), method: "email", delivery: "sent" },
    });
    expect(await mail.codeFor(user.email)).toMatch(/^\d{6}$/u);
    expect(await db.$count(sessions, eq(sessions.userId, user.id))).toBe(1);
  });

  it("is refused where there is no second step, before the password is looked at", async () => {
    const { user } = await newPerson(db);
    const credentials = { identifier: user.email, password: PASSWORD };
    const attempt = () => logInAtOnce(mail.deps, credentials, CLIENT);
    expect(await comparesIn(attempt)).toBe(0);
    await expect(attempt()).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("/api/auth/login"),
    });
    expect(mail.sent).toEqual([]);
  });
});
