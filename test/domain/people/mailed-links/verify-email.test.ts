import type * as Bcrypt from "bcryptjs";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { auditLog, mailedTokens, users } from "#src/db/schema/index.ts";
import { register } from "#src/domain/people/accounts/index.ts";
import {
  requestPasswordReset,
  requestVerification,
  resetPassword,
  verifyEmail,
} from "#src/domain/people/mailed-links/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { openDatabase } from "#test/support/database.ts";
import { mailing } from "#test/support/mailbox.ts";
import { changeOwnAccount, CLIENT, newPerson, PASSWORD } from "#test/support/people.ts";

/** What happens while a new password is hashed, once. */
const bcrypt = vi.hoisted((): { meanwhile: (() => Promise<void>) | undefined } => ({ meanwhile: undefined }));
vi.mock("bcryptjs", async (original) => {
  const real = await original<typeof Bcrypt>();
  return {
    ...real,
    async hash(password: string, cost: number) {
      const { meanwhile } = bcrypt;
      bcrypt.meanwhile = undefined;
      await meanwhile?.();
      return real.hash(password, cost);
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
});
afterAll(async () => {
  await database.close();
});

const newEmail = () => `${crypto.randomUUID()}@example.com`;
const signUp = (email = newEmail()) => register(mail.deps, { email, password: PASSWORD }, CLIENT);
const verify = (token: string) => verifyEmail(mail.deps, { token }, CLIENT);
const isVerified = async ({ id }: { id: string }) =>
  (await database.db.select().from(users).where(eq(users.id, id)))[0]?.isVerified;

async function linkFor(email: string): Promise<string> {
  await requestVerification(mail.deps, email, CLIENT);
  return (await mail.linkFor(email)).token;
}

const refusedWith = (message: string) => expect.objectContaining({ code: "invalid_input", message });
const BAD_TOKEN = refusedWith("VERIFY_USER_BAD_TOKEN");
const VERIFIED = refusedWith("VERIFY_USER_ALREADY_VERIFIED");

describe("a link that proves an address", () => {
  it("comes with the registration, and makes the address a verified one", async () => {
    const { user } = await signUp();
    const { url, token } = await mail.linkFor(user.email);
    expect(url).toBe(`https://service.test/verify-email?token=${token}`);
    expect(await isVerified(user)).toBe(false);
    expect(await verify(token)).toBe(user.id);
    expect(await isVerified(user)).toBe(true);
    const noted = await database.db.select().from(auditLog).where(eq(auditLog.userId, user.id));
    expect(noted.map(({ action }) => action)).toContain("email.verified");
    const [row] = await database.db.select().from(mailedTokens).where(eq(mailedTokens.userId, user.id));
    expect((row?.expiresAt.getTime() ?? 0) - (row?.createdAt.getTime() ?? 0)).toBe(24 * 3_600_000);
  });

  it("works once of eight times at once; the others hear that it is done", async () => {
    const { user } = await signUp();
    const { token } = await mail.linkFor(user.email);
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => verify(token)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const reasons = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    expect(reasons).toEqual(Array.from({ length: 7 }, () => VERIFIED));
  });

  it("is not needed any more where another one, or a reset, proved the address", async () => {
    const { user } = await signUp();
    const first = (await mail.linkFor(user.email)).token;
    await verify(await linkFor(user.email));
    await expect(verify(first)).rejects.toEqual(VERIFIED);

    const { user: other } = await signUp();
    const link = (await mail.linkFor(other.email)).token;
    await requestPasswordReset(mail.deps, other.email, CLIENT);
    const { token } = await mail.linkFor(other.email);
    await resetPassword(mail.deps, { token, password: "another horse" }, CLIENT);
    await expect(verify(link)).rejects.toEqual(VERIFIED);
  });

  it("proves no other address than the one it was mailed to", async () => {
    const { user } = await signUp();
    const { token } = await mail.linkFor(user.email);
    const email = newEmail();
    await changeOwnAccount(mail.deps, user.id, { email });
    await expect(verify(token)).rejects.toEqual(BAD_TOKEN);
    expect(await isVerified(user)).toBe(false);
    await verify((await mail.linkFor(email)).token);
    expect(await isVerified(user)).toBe(true);
  });

  it("is void after a day, and for an account that is not active", async () => {
    const { user: inactive } = await signUp();
    const link = await mail.linkFor(inactive.email);
    await database.db.update(users).set({ isActive: false }).where(eq(users.id, inactive.id));
    await expect(verify(link.token)).rejects.toEqual(BAD_TOKEN);
    const { user } = await signUp();
    const { token } = await mail.linkFor(user.email);
    const past = sql`now() - interval '1 second'`;
    await database.db
      .update(mailedTokens)
      .set({ expiresAt: past })
      .where(eq(mailedTokens.tokenHash, sha256Hex(token)));
    await expect(verify(token)).rejects.toEqual(BAD_TOKEN);
  });

  it("must be one of ours, and none for a new password", async () => {
    for (const token of ["", "garbage", "x".repeat(1000)])
      await expect(verify(token)).rejects.toEqual(BAD_TOKEN);
    const { user } = await newPerson(database.db);
    await requestPasswordReset(mail.deps, user.email, CLIENT);
    await expect(verify((await mail.linkFor(user.email)).token)).rejects.toEqual(BAD_TOKEN);
  });

  it("is not mailed where the address is verified already", async () => {
    const { user } = await signUp();
    await verify((await mail.linkFor(user.email)).token);
    const before = mail.sent.length;
    await requestVerification(mail.deps, user.email, CLIENT);
    await mail.mailTo(user.email);
    expect(mail.sent).toHaveLength(before);
  });
});

describe("an address", () => {
  it("is unverified after it is changed, and verified again only by a link", async () => {
    const { user } = await signUp();
    await verify((await mail.linkFor(user.email)).token);
    await changeOwnAccount(mail.deps, user.id, { email: user.email.toUpperCase(), name: "Ann" });
    expect(await isVerified(user)).toBe(true);
    await changeOwnAccount(mail.deps, user.id, { email: newEmail() });
    expect(await isVerified(user)).toBe(false);
    const noted = await database.db.select().from(auditLog).where(eq(auditLog.userId, user.id));
    expect(noted.filter(({ action }) => action === "email.changed")).toHaveLength(1);
  });

  it("is not verified by the proof of another that the account had for a moment", async () => {
    const victims = newEmail();
    const { user } = await signUp();
    const own = user.email;
    const { token } = await mail.linkFor(own);
    await changeOwnAccount(mail.deps, user.id, { email: victims });
    bcrypt.meanwhile = async () => {
      await changeOwnAccount(mail.deps, user.id, { email: own });
      await verify(token);
    };
    await changeOwnAccount(mail.deps, user.id, { email: victims, password: "another horse" });
    const [row] = await database.db.select().from(users).where(eq(users.id, user.id));
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
