import type * as Bcrypt from "bcryptjs";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { loginAttempts, sessions, users } from "#src/db/schema/index.ts";
import { authenticateUser } from "#src/domain/organisations/access/index.ts";
import { logIn, logInAtOnce } from "#src/domain/people/accounts/index.ts";
import { openDatabase } from "#test/support/database.ts";
import { mailing } from "#test/support/mailbox.ts";
import { changeOwnAccount, CLIENT, newPerson, PASSWORD } from "#test/support/people.ts";

/** Every bcrypt goes through here; `meanwhile` happens while one runs. */
const bcrypt = vi.hoisted(() => ({ compared: 0, meanwhile: async () => {} }));
vi.mock("bcryptjs", async (original) => {
  const real = await original<typeof Bcrypt>();
  return {
    ...real,
    async compare(password: string, hash: string) {
      bcrypt.compared += 1;
      const matches = await real.compare(password, hash);
      await bcrypt.meanwhile();
      return matches;
    },
  };
});

let database: Awaited<ReturnType<typeof openDatabase>>;
let mail: ReturnType<typeof mailing>;
beforeAll(async () => {
  database = await openDatabase();
});
beforeEach(() => {
  mail = mailing(database.db);
  bcrypt.meanwhile = async () => {};
});
afterAll(async () => {
  await database.close();
});

/** What the deps are where a password is enough. */
const plain = () => ({ ...mail.deps, config: { ...mail.deps.config, TWO_FA_ENABLED: false } });

const BAD = expect.objectContaining({ code: "invalid_input", message: "LOGIN_BAD_CREDENTIALS" });

async function comparesIn(work: () => Promise<unknown>): Promise<number> {
  const before = bcrypt.compared;
  await work().catch(() => {});
  return bcrypt.compared - before;
}

describe("logging in", () => {
  it("takes one bcrypt, for an unknown account, a wrong password, an account without one, and the right one", async () => {
    const { user } = await newPerson(database.db);
    const { user: passwordless } = await newPerson(database.db);
    const { user: inactive } = await newPerson(database.db);
    await database.db.update(users).set({ passwordHash: null }).where(eq(users.id, passwordless.id));
    await database.db.update(users).set({ isActive: false }).where(eq(users.id, inactive.id));
    for (const [identifier, password] of [
      ["nobody@example.com", PASSWORD],
      ["nobody", "x".repeat(500)],
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

  it("opens no session for a password that was changed while it was compared", async () => {
    const { user } = await newPerson(database.db);
    const credentials = { identifier: user.email, password: PASSWORD };
    bcrypt.meanwhile = async () => {
      await changeOwnAccount(mail.deps, user.id, { password: "another horse" });
    };
    const refused = expect.objectContaining({ code: "conflict" });
    await expect(logIn(plain(), credentials, CLIENT)).rejects.toEqual(refused);
    const rows = await database.db.select().from(sessions).where(eq(sessions.userId, user.id));
    expect(rows.filter(({ endedAt }) => endedAt === null)).toEqual([]);
  });

  it("leaves no session that was opened with the old password, however many were on their way", async () => {
    const { user } = await newPerson(database.db);
    const credentials = { identifier: user.email, password: PASSWORD };
    const logins = Array.from({ length: 8 }, () => logIn(plain(), credentials, CLIENT));
    const change = changeOwnAccount(mail.deps, user.id, { password: "another horse" });
    const outcomes = await Promise.allSettled(logins);
    await change;
    const opened = outcomes.flatMap((each) =>
      each.status === "fulfilled" && "session" in each.value ? [each.value.session] : [],
    );
    const callers = await Promise.all(
      opened.map(({ accessToken }) => authenticateUser(mail.deps, accessToken)),
    );
    expect(callers.filter((caller) => caller !== undefined)).toEqual([]);
  });
});

describe("logging in where a code is needed", () => {
  it("opens no session, and mails a code", async () => {
    const { user } = await newPerson(database.db);
    const before = await database.db.select().from(sessions).where(eq(sessions.userId, user.id));
    const outcome = await logIn(mail.deps, { identifier: user.username, password: PASSWORD }, CLIENT);
    expect(outcome).toEqual({
      codeRequest: { tempToken: expect.stringMatching(/^[\w-]{64}$/u), delivery: "sent" },
    });
    expect(await mail.codeFor(user.email)).toMatch(/^\d{6}$/u);
    const after = await database.db.select().from(sessions).where(eq(sessions.userId, user.id));
    expect(after).toHaveLength(before.length);
  });

  it("mails nothing for a wrong password", async () => {
    const { user } = await newPerson(database.db);
    const credentials = { identifier: user.email, password: "wrong horse" };
    await expect(logIn(mail.deps, credentials, CLIENT)).rejects.toEqual(BAD);
    expect([mail.sent, mail.published]).toEqual([[], []]);
  });

  it("mails nothing for a password that was changed while it was compared", async () => {
    const { user } = await newPerson(database.db);
    bcrypt.meanwhile = async () => {
      await changeOwnAccount(mail.deps, user.id, { password: "another horse" });
    };
    const credentials = { identifier: user.email, password: PASSWORD };
    await expect(logIn(mail.deps, credentials, CLIENT)).rejects.toEqual(BAD);
    expect(mail.sent).toEqual([]);
    const rows = await database.db.select().from(loginAttempts).where(eq(loginAttempts.userId, user.id));
    expect(rows).toEqual([]);
  });

  it("is refused where there is no second step, before the password is looked at", async () => {
    const { user } = await newPerson(database.db);
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
