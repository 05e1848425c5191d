import bcrypt from "bcryptjs";
import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { mailedTokens, oauthAccounts, teamMemberships, users } from "#src/db/schema/index.ts";
import { logIn, register } from "#src/domain/people/accounts/index.ts";
import {
  requestPasswordReset,
  requestVerification,
  resetPassword,
  verifyEmail,
} from "#src/domain/people/mailed-links/index.ts";
import { authenticateKey, authenticateUser } from "#src/domain/access/permissions/index.ts";
import { redeemReset } from "#src/domain/people/mailed-links/queries.ts";
import { startSession } from "#src/domain/access/sessions/index.ts";
import { requestCode, verifyCode } from "#src/domain/people/two-factor/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import { auditEntries } from "#test/domain/access/support/audit-entries.ts";
import { newApiKey } from "#test/domain/programs/support/new-api-key.ts";
import { allAtOnce, timesAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import { mailing } from "#test/support/mailbox.ts";
import { changeOwnAccount, CLIENT, newPerson, PASSWORD, sessionDeps } from "#test/support/people.ts";
import { rolesOf } from "#test/support/colleagues.ts";

const database = await fileDatabase();
const { db } = database;
let mail: ReturnType<typeof mailing>;
beforeEach(() => {
  mail = mailing(db);
});

const newEmail = () => `${crypto.randomUUID()}@example.com`;
/** A new account, with the link that it was mailed. */
async function registered() {
  const { user } = await register(mail.deps, { email: newEmail(), password: PASSWORD }, CLIENT);
  return { user, ...(await mail.linkFor(user.email)) };
}
const verify = (token: string) => verifyEmail(mail.deps, { token }, CLIENT);
const isVerified = async ({ id }: { id: string }) =>
  (await db.select().from(users).where(eq(users.id, id)))[0]?.isVerified;

const refusedWith = (message: string) => expect.objectContaining({ code: "invalid_input", message });
const NO_PROOF = refusedWith("VERIFY_USER_BAD_TOKEN");
const VERIFIED = refusedWith("VERIFY_USER_ALREADY_VERIFIED");

describe("a link that proves an address", () => {
  it("comes with the registration, and makes the address a verified one", async () => {
    const { user, url, token } = await registered();
    expect(url).toBe(`https://service.test/verify-email?token=${token}`);
    expect(await isVerified(user)).toBe(false);
    expect(await verify(token)).toBe(user.id);
    expect(await isVerified(user)).toBe(true);
    const noted = await auditEntries(db, { userId: user.id });
    expect(noted.map(({ action }) => action)).toContain("email.verified");
    const [row] = await db.select().from(mailedTokens).where(eq(mailedTokens.userId, user.id));
    expect((row?.expiresAt.getTime() ?? 0) - (row?.createdAt.getTime() ?? 0)).toBe(24 * 3_600_000);
  });

  it("works once of eight times at once; the others hear that it is done", async () => {
    const { token } = await registered();
    const { refused } = await timesAtOnce(8, () => verify(token));
    expect(refused).toEqual(Array.from({ length: 7 }, () => VERIFIED));
  });

  it("is not needed any more where another one, or a reset, proved the address", async () => {
    const one = await registered();
    await requestVerification(mail.deps, one.user.email, CLIENT);
    await verify((await mail.linkFor(one.user.email)).token);
    await expect(verify(one.token)).rejects.toEqual(VERIFIED);
    const other = await registered();
    await requestPasswordReset(mail.deps, other.user.email, CLIENT);
    const { token } = await mail.linkFor(other.user.email);
    await resetPassword(mail.deps, { token, password: "another horse" }, CLIENT);
    await expect(verify(other.token)).rejects.toEqual(VERIFIED);
  });

  it("proves no other address than the one it was mailed to", async () => {
    const { user, token } = await registered();
    const email = newEmail();
    await changeOwnAccount(mail.deps, user.id, { email });
    await expect(verify(token)).rejects.toEqual(NO_PROOF);
    await verify((await mail.linkFor(email)).token);
    expect(await isVerified(user)).toBe(true);
  });

  it("is void after a day, and for an account that is not active", async () => {
    const [inactive, late] = [await registered(), await registered()];
    await db.update(users).set({ isActive: false }).where(eq(users.id, inactive.user.id));
    await db
      .update(mailedTokens)
      .set({ expiresAt: sql`now()` })
      .where(eq(mailedTokens.userId, late.user.id));
    for (const { token } of [inactive, late]) await expect(verify(token)).rejects.toEqual(NO_PROOF);
  });

  it("must be one of ours, and none for a new password", async () => {
    await expect(verify("garbage")).rejects.toEqual(NO_PROOF);
    const { user } = await newPerson(db);
    await requestPasswordReset(mail.deps, user.email, CLIENT);
    await expect(verify((await mail.linkFor(user.email)).token)).rejects.toEqual(NO_PROOF);
  });

  it("is not mailed where the address is verified already", async () => {
    const { user, token } = await registered();
    await verify(token);
    const before = mail.sent.length;
    await requestVerification(mail.deps, user.email, CLIENT);
    await mail.mailTo(user.email);
    expect(mail.sent).toHaveLength(before);
  });
});

describe("an address", () => {
  it("is unverified after it is changed to another one", async () => {
    const { user, token } = await registered();
    await verify(token);
    await changeOwnAccount(mail.deps, user.id, { email: user.email.toUpperCase(), name: "Ann" });
    expect(await isVerified(user)).toBe(true);
    await changeOwnAccount(mail.deps, user.id, { email: newEmail() });
    expect(await isVerified(user)).toBe(false);
    const noted = await auditEntries(db, { userId: user.id });
    expect(noted.filter(({ action }) => action === "email.changed")).toHaveLength(1);
  });

  it("is not verified by the proof of another that the account had for a moment", async () => {
    const victims = newEmail();
    const { user, token } = await registered();
    const own = user.email;
    await changeOwnAccount(mail.deps, user.id, { email: victims });
    const promising: { hash(password: string, cost: number): Promise<string> } = bcrypt;
    // While the new password is hashed:
    const hash = vi.spyOn(promising, "hash").mockImplementationOnce(async () => {
      await changeOwnAccount(mail.deps, user.id, { email: own });
      await verify(token);
      return "a hash";
    });
    onTestFinished(() => {
      hash.mockRestore();
    });
    await changeOwnAccount(mail.deps, user.id, { email: victims, password: "another horse" });
    expect(hash).toHaveBeenCalledOnce();
    const [row] = await db.select().from(users).where(eq(users.id, user.id));
    expect(row).toMatchObject({ email: victims, isVerified: false });
  });
});

describe("without a mail server, or a queue", () => {
  it("people register, and change their address", async () => {
    const queue = { ...mail.deps.queue, publish: () => Promise.reject(new Error("The queue is away")) };
    const noMail = { ...mail.deps, mailer: { ...mail.deps.mailer, configured: false } };
    for (const deps of [{ ...mail.deps, queue }, noMail]) {
      const { user } = await register(deps, { email: newEmail(), password: PASSWORD }, CLIENT);
      const changed = await changeOwnAccount(deps, user.id, { email: newEmail() });
      expect(changed.isVerified).toBe(false);
    }
    expect(mail.published).toEqual([]);
  });
});

const NEW = "another horse";

async function linkFor(email: string): Promise<string> {
  await requestPasswordReset(mail.deps, email, CLIENT);
  return (await mail.linkFor(email)).token;
}

const BAD_TOKEN = refusedWith("RESET_PASSWORD_BAD_TOKEN");

/** A person with a link that was mailed. */
async function forgetful() {
  const person = await newPerson(db);
  return { ...person, token: await linkFor(person.user.email) };
}

const reset = (token: string, password = NEW) => resetPassword(mail.deps, { token, password }, CLIENT);
const logsIn = (identifier: string, password: string) =>
  logIn(
    { ...mail.deps, config: { ...mail.deps.config, TWO_FA_ENABLED: false } },
    { identifier, password },
    CLIENT,
  )
    .then(() => true)
    .catch(() => false);
const rowOf = (token: string) => eq(mailedTokens.tokenHash, sha256Hex(token));
describe("a link for a new password", () => {
  it("sets it, proves the address, and is noted", async () => {
    const { user, token } = await forgetful();
    await reset(token);
    expect([await logsIn(user.email, PASSWORD), await logsIn(user.email, NEW)]).toEqual([false, true]);
    const [row] = await db.select().from(users).where(eq(users.id, user.id));
    expect(row?.isVerified).toBe(true);
    const noted = await auditEntries(db, { userId: user.id });
    const actions = noted.map(({ action }) => action).filter((action) => action.startsWith("password."));
    expect(actions).toEqual(["password.reset_requested", "password.reset"]);
    expect(JSON.stringify(noted)).not.toContain(token);
  });

  it("leads to the console, for an hour, and is stored as its hash", async () => {
    const { user } = await newPerson(db);
    const deps = { ...mail.deps, config: { ...mail.deps.config, APP_BASE_URL: "https://console.test/" } };
    await requestPasswordReset(deps, user.email.toUpperCase(), CLIENT);
    const { url, token } = await mail.linkFor(user.email);
    expect(url).toBe(`https://console.test/reset-password?token=${token}`);
    const [row] = await db.select().from(mailedTokens).where(rowOf(token));
    const life = (row?.expiresAt.getTime() ?? 0) - (row?.createdAt.getTime() ?? 0);
    expect(life).toBe(3_600_000);
    expect(JSON.stringify(row)).not.toContain(token);
  });

  it("ends every session, login that waits for a code and other link", async () => {
    const { user, session, token } = await forgetful();
    const second = await linkFor(user.email);
    const login = await requestCode(mail.deps, user, CLIENT);
    const code = await mail.codeFor(user.email);
    await reset(token);
    expect(await authenticateUser(mail.deps, session.accessToken)).toBeUndefined();
    await expect(reset(second, "a third horse")).rejects.toEqual(BAD_TOKEN);
    const verified = verifyCode(mail.deps, { tempToken: login?.tempToken ?? "", code }, CLIENT);
    await expect(verified).rejects.toMatchObject({ message: "Invalid or expired verification session" });
  });

  it("of an unproved address removes every person and key that the account's maker let in", async () => {
    const { user, caller, token } = await forgetful();
    const key = await newApiKey(db, { caller });
    const { user: friend } = await newPerson(db);
    const [userId, teamId] = [user.id, user.defaultTeamId ?? ""];
    await db.insert(teamMemberships).values({ teamId, userId: friend.id, role: "admin" });
    await db
      .insert(oauthAccounts)
      .values({ id: newId(), userId, provider: "github", accountId: newId(), email: "maker@example.com" });
    mail.published.splice(0);
    await reset(token);
    await expect(authenticateKey(database, key.token)).rejects.toMatchObject({ code: "unauthenticated" });
    expect(Object.keys(await rolesOf(db, teamId))).toEqual([userId]);
    expect(await db.$count(oauthAccounts, eq(oauthAccounts.userId, userId))).toBe(0);
    const ended = mail.published.filter((message) => message.function === "stop-tasks");
    expect(ended).toEqual([{ function: "stop-tasks", payload: { keyId: key.key.id } }]);
  });

  it("of a proved address lets keys go on", async () => {
    const { user, caller, token } = await forgetful();
    await db.update(users).set({ isVerified: true }).where(eq(users.id, user.id));
    const key = await newApiKey(db, { caller });
    await reset(token);
    expect(await authenticateKey(database, key.token)).toMatchObject({ keyId: key.key.id });
  });

  it("works once of eight times at once", async () => {
    const { user, token } = await forgetful();
    const outcomes = await timesAtOnce(8, async (nth) => {
      await reset(token, `horse number ${nth}`);
      return `horse number ${nth}`;
    });
    expect(outcomes.refused).toEqual(Array.from({ length: 7 }, () => BAD_TOKEN));
    expect(await logsIn(user.email, outcomes.done[0] ?? "")).toBe(true);
    const noted = await auditEntries(db, { userId: user.id });
    expect(noted.filter(({ action }) => action === "password.reset")).toHaveLength(1);
    await expect(reset(token)).rejects.toEqual(BAD_TOKEN);
  });

  it("that lost a race changes nothing and ends nothing", async () => {
    const { user, token } = await forgetful();
    await reset(token);
    const session = await startSession(mail.deps, { id: user.id, isSuperuser: false }, CLIENT, "password");
    const late = { tokenHash: sha256Hex(token), userId: user.id, passwordHash: "late" };
    const entry = { userId: user.id, action: "password.reset", resourceType: "user" };
    const outcome = await redeemReset(sessionDeps(db), late, entry);
    expect(outcome).toEqual({ redeemed: false, revokedKeys: [] });
    expect(await authenticateUser(mail.deps, session.accessToken)).toBeDefined();
    expect(await logsIn(user.email, NEW)).toBe(true);
  });

  it("is still good after a password was refused, of the account's names too", async () => {
    const { user, token } = await forgetful();
    for (const [password, sentence] of [
      ["12345", "at least 8"],
      [user.username, "username"],
    ] as const) {
      const message = expect.stringContaining(sentence);
      await expect(reset(token, password)).rejects.toMatchObject({ code: "invalid_input", message });
    }
    await reset(token);
  });

  it.each<[string, (id: string, token: string) => Promise<unknown>]>([
    ["is not active", (id) => db.update(users).set({ isActive: false }).where(eq(users.id, id))],
    ["has another address", (id) => changeOwnAccount(mail.deps, id, { email: `${id}@example.com` })],
    ["has another password", (id) => changeOwnAccount(mail.deps, id, { password: "a third horse" })],
    [
      "waited an hour",
      (_, token) =>
        db
          .update(mailedTokens)
          .set({ expiresAt: sql`now()` })
          .where(rowOf(token)),
    ],
  ])("is void for an account that %s", async (_, change) => {
    const { user, token } = await forgetful();
    await change(user.id, token);
    await expect(reset(token)).rejects.toEqual(BAD_TOKEN);
  });

  it("must be one of ours, and none that proves an address", async () => {
    await expect(reset("garbage")).rejects.toEqual(BAD_TOKEN);
    const { user } = await newPerson(db);
    await requestVerification(mail.deps, user.email, CLIENT);
    await expect(reset((await mail.linkFor(user.email)).token)).rejects.toEqual(BAD_TOKEN);
  });
});

describe("asking for a link", () => {
  it("does the same for an address without an account, or of an inactive one, and mails nothing", async () => {
    const [{ user }, { user: inactive }] = [await newPerson(db), await newPerson(db)];
    await db.update(users).set({ isActive: false }).where(eq(users.id, inactive.id));
    for (const email of ["nobody@example.com", inactive.email, user.email])
      await requestPasswordReset(mail.deps, email, CLIENT);
    expect(new Set(mail.published.map((message) => JSON.stringify(message).length)).size).toBe(1);
    await mail.mailTo(user.email);
    expect(mail.sent.map(({ to }) => to)).toEqual([user.email]);
  });

  it("fails alike for every address while the mail server is away, and mails later", async () => {
    const { user } = await newPerson(db);
    mail.server.answers = false;
    const asked = [user.email, "nobody@example.com"].map((to) => requestPasswordReset(mail.deps, to, CLIENT));
    const { refused } = await allAtOnce(asked);
    expect(refused[0]).toMatchObject({ code: "unavailable" });
    expect(refused[1]).toEqual(refused[0]);
    mail.server.answers = true;
    expect((await mail.linkFor(user.email)).token).toMatch(/^[\w-]{64}$/u);
  });

  it("is refused without a mail server", async () => {
    const { user } = await newPerson(db);
    const deps = { ...mail.deps, mailer: { ...mail.deps.mailer, configured: false } };
    for (const email of [user.email, "nobody@example.com"]) {
      const message = "Email is not configured on this installation";
      const asked = requestPasswordReset(deps, email, CLIENT);
      await expect(asked).rejects.toMatchObject({ code: "unavailable", message });
    }
    expect(await db.$count(mailedTokens, eq(mailedTokens.userId, user.id))).toBe(0);
  });

  it("keeps links that were mailed before good", async () => {
    const { user, token } = await forgetful();
    await linkFor(user.email);
    await expect(reset(token)).resolves.toBeUndefined();
  });
});
