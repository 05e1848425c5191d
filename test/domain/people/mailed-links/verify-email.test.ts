import bcrypt from "bcryptjs";
import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { auditLog, mailedTokens, users } from "#src/db/schema/index.ts";
import { register } from "#src/domain/people/accounts/index.ts";
import {
  requestPasswordReset,
  requestVerification,
  resetPassword,
  verifyEmail,
} from "#src/domain/people/mailed-links/index.ts";
import { timesAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import { mailing } from "#test/support/mailbox.ts";
import { changeOwnAccount, CLIENT, newPerson, PASSWORD } from "#test/support/people.ts";

const { db } = await fileDatabase();
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
const BAD_TOKEN = refusedWith("VERIFY_USER_BAD_TOKEN");
const VERIFIED = refusedWith("VERIFY_USER_ALREADY_VERIFIED");

describe("a link that proves an address", () => {
  it("comes with the registration, and makes the address a verified one", async () => {
    const { user, url, token } = await registered();
    expect(url).toBe(`https://service.test/verify-email?token=${token}`);
    expect(await isVerified(user)).toBe(false);
    expect(await verify(token)).toBe(user.id);
    expect(await isVerified(user)).toBe(true);
    const noted = await db.select().from(auditLog).where(eq(auditLog.userId, user.id));
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
    await expect(verify(token)).rejects.toEqual(BAD_TOKEN);
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
    for (const { token } of [inactive, late]) await expect(verify(token)).rejects.toEqual(BAD_TOKEN);
  });

  it("must be one of ours, and none for a new password", async () => {
    await expect(verify("garbage")).rejects.toEqual(BAD_TOKEN);
    const { user } = await newPerson(db);
    await requestPasswordReset(mail.deps, user.email, CLIENT);
    await expect(verify((await mail.linkFor(user.email)).token)).rejects.toEqual(BAD_TOKEN);
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
    const noted = await db.select().from(auditLog).where(eq(auditLog.userId, user.id));
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
