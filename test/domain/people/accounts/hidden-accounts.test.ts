import { and, eq, isNull } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { users } from "#src/db/schema/index.ts";
import { logIn, register } from "#src/domain/people/accounts/index.ts";
import { grantAdministrator } from "#src/domain/access/administrators/index.ts";
import { resetPassword, requestPasswordReset, verifyEmail } from "#src/domain/people/mailed-links/index.ts";
import { findAccount } from "#src/domain/people/oauth/find-account.ts";
import { allAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import { mailing } from "#test/support/mailbox.ts";
import { CLIENT } from "#test/support/people.ts";

const { db } = await fileDatabase();
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

const join = (email: string, password: string, deps = depsIn("production")) =>
  register(deps, { email, password }, CLIENT);

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
    const [email, deps] = [newEmail(), depsOf()];
    await join(email, "the first horse", deps);
    const second = join(email, "the second horse", deps);
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
