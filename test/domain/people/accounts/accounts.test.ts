import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { and, eq, isNull } from "drizzle-orm";
import bcrypt from "bcryptjs";
import { loginAttempts, sessions, teams, users } from "#src/db/schema/index.ts";
import { logIn, logInAtOnce, register } from "#src/domain/people/accounts/index.ts";
import { grantAdministrator } from "#src/domain/access/administrators/index.ts";
import { requestPasswordReset, resetPassword, verifyEmail } from "#src/domain/people/mailed-links/index.ts";
import { findAccount } from "#src/domain/people/oauth/find-account.ts";
import { MemoryAttempts } from "#test/support/memory-attempts.ts";
import { allAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import { changeOwnAccount, CLIENT, newPerson, PASSWORD, sessionDeps } from "#test/support/people.ts";
import { mailing } from "#test/support/mailbox.ts";

const { db } = await fileDatabase();
const deps = sessionDeps(db);
beforeEach(async () => {
  await db.delete(users);
});

const registerAs = (email: string, username?: string, change: Partial<typeof deps.config> = {}) =>
  register(
    { ...deps, config: { ...deps.config, ...change } },
    { email, username, password: PASSWORD },
    CLIENT,
  );

describe("registration", () => {
  it("makes no administrator in production, where the first account may be a stranger's", async () => {
    const production = { ENVIRONMENT: "production" as const, ADMIN_EMAIL: ["first@example.com"] };
    const { user } = await registerAs("first@example.com", undefined, production);
    expect(user.isSuperuser).toBe(false);
  });

  it("lets the first account of a machine of one's own be called admin, and no other", async () => {
    expect((await registerAs("first@example.com", "admin")).user.username).toBe("admin");
    await expect(registerAs("second@example.com", "support")).rejects.toMatchObject({
      code: "invalid_input",
      message: "Username is reserved",
    });
  });

  it.each([
    [{ ALLOWED_EMAIL_DOMAINS: ["example.com"] }, "a@Example.com", "a@sub.example.com"],
    [{ BLOCKED_EMAIL_DOMAINS: ["example.org"] }, "a@notexample.org", "a@sub.EXAMPLE.org"],
    [
      { ALLOWED_EMAIL_DOMAINS: ["x.test"], BLOCKED_EMAIL_DOMAINS: ["b.x.test", "c.test"] },
      "a@X.TEST",
      "a@b.x.test",
    ],
  ])("with %o takes addresses of the allowed domains only", async (domains, taken, refused) => {
    const at = (email: string) => registerAs(email, undefined, domains);
    await expect(at(taken)).resolves.toBeDefined();
    await expect(at(refused)).rejects.toMatchObject({
      code: "invalid_input",
      message: "Email addresses of this domain are not accepted here",
    });
  });

  it("from a domain that is blocked by now stays as it is, but takes no new address there", async () => {
    const config = { ...deps.config, BLOCKED_EMAIL_DOMAINS: ["example.com"] };
    const { user } = await registerAs("a@example.com");
    const change = (email: string) => changeOwnAccount({ ...deps, config }, user.id, { email, name: "Ann" });
    await expect(change("A@example.com")).resolves.toMatchObject({ name: "Ann" });
    await expect(change("b@example.com")).rejects.toMatchObject({ code: "invalid_input" });
    await expect(change("b@example.org")).resolves.toMatchObject({ email: "b@example.org" });
  });

  it("is counted for each address, successes too", async () => {
    const attempts = new MemoryAttempts({ registration: 2 });
    const from = (address: string, email: string) =>
      register({ ...deps, attempts }, { email, password: PASSWORD }, { ...CLIENT, address });
    await from("192.0.2.1", "first@example.com");
    await from("192.0.2.1", "second@example.com");
    await expect(from("192.0.2.1", "third@example.com")).rejects.toMatchObject({ code: "rate_limited" });
    await from("192.0.2.2", "third@example.com");
  });

  it("makes exactly one administrator of eight first accounts at once", async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, index) => registerAs(`person${index}@example.com`)),
    );
    expect(made.filter(({ user }) => user.isSuperuser)).toHaveLength(1);
    expect(await db.select().from(users)).toHaveLength(8);
  });

  it.each([
    ["the same address in another case", "ADA@example.com", undefined],
    ["the same username in another case", "other@example.com", "ADA"],
  ])("refuses %s, also at the same moment", async (_, email, username) => {
    const both = [registerAs("ada@example.com", "ada"), registerAs(email, username)];
    const { refused } = await allAtOnce(both);
    expect(refused).toMatchObject([{ code: "invalid_input", message: "REGISTER_USER_ALREADY_EXISTS" }]);
    expect([await db.$count(users), await db.$count(teams)]).toEqual([1, 1]);
  });
});

let mail: ReturnType<typeof mailing>;
beforeEach(() => {
  mail = mailing(db);
});

const newEmail = () => `${crypto.randomUUID()}@example.com`;

const depsIn = (
  ENVIRONMENT: "development" | "production",
  REGISTRATION_REVEALS_ACCOUNTS?: boolean,
  configured = true,
) => ({
  ...mail.deps,
  mailer: { ...mail.deps.mailer, configured },
  config: { ...mail.deps.config, ENVIRONMENT, REGISTRATION_REVEALS_ACCOUNTS, TWO_FA_ENABLED: false },
});

const join = (email: string, password: string, its = depsIn("production")) =>
  register(its, { email, password }, CLIENT);

const enter = (identifier: string, password: string) =>
  logIn(depsIn("production"), { identifier, password }, CLIENT);

const holders = (email: string) =>
  db
    .select()
    .from(users)
    .where(and(eq(users.email, email), isNull(users.emailAskedAt)));

describe("whose an address is", () => {
  it.each([
    ["in production", () => depsIn("production"), false],
    ["in production where it is said", () => depsIn("production", true), true],
    ["in production without a mail server", () => depsIn("production", undefined, false), true],
    ["in development", () => depsIn("development"), true],
    ["in development where it is not said", () => depsIn("development", false), false],
  ])("%s", async (_, depsOf, isTold) => {
    const [email, its] = [newEmail(), depsOf()];
    await join(email, "the first horse", its);
    const second = join(email, "the second horse", its);
    const outcome = await second.then(
      ({ user }) => (user.emailAskedAt && !user.isVerified ? "a second account" : "the holder"),
      (error: Error) => error.message,
    );
    expect(outcome).toBe(isTold ? "REGISTER_USER_ALREADY_EXISTS" : "a second account");
  });
});

describe("of two accounts that ask for one address", () => {
  it("one holds it, also when both prove it at the same moment", async () => {
    const email = newEmail();
    const links: string[] = [];
    for (const password of ["the first horse", "the second horse"]) {
      await join(email, password);
      links.push((await mail.linkFor(email)).token);
    }
    const { refused } = await allAtOnce(links.map((token) => verifyEmail(mail.deps, { token }, CLIENT)));
    expect(refused).toMatchObject([{ message: "VERIFY_USER_BAD_TOKEN" }]);
    expect(await holders(email)).toMatchObject([{ isVerified: true }]);
  });

  it("each is let in by its own password while neither holds it, the newest by the address", async () => {
    const email = newEmail();
    const first = await join(email, "the first horse");
    await join(email, "the second horse");
    await expect(enter(email, "the first horse")).rejects.toMatchObject({ message: "LOGIN_BAD_CREDENTIALS" });
    await expect(enter(email, "the second horse")).resolves.toHaveProperty("session");
    await expect(enter(first.user.username, "the first horse")).resolves.toHaveProperty("session");
  });

  it.each([
    [
      "the link for a new password",
      async (email: string) => {
        await requestPasswordReset(depsIn("production"), email, CLIENT);
        const { token } = await mail.linkFor(email);
        await resetPassword(depsIn("production"), { token, password: "a new horse" }, CLIENT);
      },
    ],
    [
      "the identity that a provider vouches for",
      (email: string) =>
        findAccount(mail.deps, { provider: "github", accountId: crypto.randomUUID(), email }, CLIENT),
    ],
  ])("the first gets %s, and holds the address by it", async (_, prove) => {
    const email = newEmail();
    const { user } = await join(email, "the first horse");
    await join(email, "the second horse");
    await prove(email);
    expect(await holders(email)).toMatchObject([{ id: user.id, isVerified: true }]);
  });

  it("none becomes an administrator by its address before one has proved it", async () => {
    const email = newEmail();
    await join(email, "the first horse");
    await join(email, "the second horse");
    await expect(grantAdministrator(mail.deps, email)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("none has verified it"),
    });
    await verifyEmail(mail.deps, { token: (await mail.linkFor(email)).token }, CLIENT);
    expect(await grantAdministrator(mail.deps, email)).toMatchObject({ isVerified: true, changed: true });
  });
});

/** `compare` also has a form with a callback, which the product does not call. */
const promising: { compare(password: string, hash: string): Promise<boolean> } = bcrypt;
const compare = vi.spyOn(promising, "compare");
afterAll(() => {
  compare.mockRestore();
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
