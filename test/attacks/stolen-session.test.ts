import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { sessions, users } from "#src/db/schema/index.ts";
import { changeAccount } from "#src/domain/administration/accounts/index.ts";
import { updateAccount, type AccountChange } from "#src/domain/people/accounts/index.ts";
import { requestPasswordReset, resetPassword } from "#src/domain/people/mailed-links/index.ts";
import { refreshSession } from "#src/domain/access/sessions/index.ts";
import { newAdministrator } from "#test/support/administrators.ts";
import { fileDatabase } from "#test/support/database.ts";
import { mailing } from "#test/support/mailbox.ts";
import { MemoryAttempts } from "#test/support/memory-attempts.ts";
import { callerOf, CLIENT, newPerson, PASSWORD } from "#test/support/people.ts";

const { db } = await fileDatabase();

type Person = Awaited<ReturnType<typeof newPerson>>;

type Deps = Parameters<typeof updateAccount>[0];
const change = ({ caller }: Pick<Person, "caller">, wish: AccountChange, deps: Deps = mailing(db).deps) =>
  updateAccount(deps, caller, wish, CLIENT);
const setSessions = ({ user }: Person, createdAt: Date) =>
  db.update(sessions).set({ createdAt }).where(eq(sessions.userId, user.id));

/** A person who signed in a quarter of an hour ago. */
async function signedInBefore(made = newPerson(db)): Promise<Person> {
  const person = await made;
  await setSessions(person, new Date(Date.now() - 15 * 60_000));
  return person;
}

const newEmail = () => `${crypto.randomUUID()}@example.com`;
const STALE = { code: "forbidden", message: expect.stringMatching(/current_password.*log in again/u) };

describe("a session alone that began long ago", () => {
  it.each<[string, () => AccountChange]>([
    ["password", () => ({ password: "a horse of the thief" })],
    ["email address", () => ({ email: newEmail() })],
    [
      "name together with both",
      () => ({ email: newEmail(), password: "a horse of the thief", name: "Thief" }),
    ],
  ])("changes the %s by the current password only", async (_, wish) => {
    const person = await signedInBefore();
    await expect(change(person, wish())).rejects.toMatchObject(STALE);
    const guess = change(person, { ...wish(), currentPassword: "a guess of mine" });
    await expect(guess).rejects.toMatchObject({ code: "invalid_input" });
    const [stored] = await db.select().from(users).where(eq(users.id, person.user.id));
    expect(stored).toMatchObject({ email: person.user.email, name: person.user.name });
    expect(stored?.passwordHash).toBe(person.user.passwordHash);
    await expect(change(person, { ...wish(), currentPassword: PASSWORD })).resolves.toBeDefined();
  });

  it("does not become a fresh one by a refresh", async () => {
    const person = await signedInBefore();
    const { deps } = mailing(db);
    const caller = await callerOf(deps, await refreshSession(deps, person.session.refreshToken, CLIENT));
    await expect(change({ caller }, { password: "another horse" })).rejects.toMatchObject(STALE);
  });

  it("changes fields that do not hand over the account", async () => {
    const person = await signedInBefore();
    const wish = { name: "Ada", email: person.user.email.toUpperCase() };
    expect(await change(person, wish)).toMatchObject({ name: "Ada" });
  });

  it("guesses the current password as often as a login does", async () => {
    const person = await signedInBefore();
    const deps = { ...mailing(db).deps, attempts: new MemoryAttempts({ account: 3 }) };
    const guess = () => change(person, { password: "another horse", currentPassword: "a guess" }, deps);
    for (let count = 0; count < 3; count += 1) {
      await expect(guess()).rejects.toMatchObject({ code: "invalid_input" });
    }
    await expect(guess()).rejects.toMatchObject({ code: "rate_limited" });
  });

  it("of an administrator is asked for it at the path for administrators, too", async () => {
    const admin = await signedInBefore(newAdministrator(db));
    const atPath = (wish: AccountChange) =>
      changeAccount(mailing(db).deps, { caller: admin.caller, address: CLIENT.address }, admin.user.id, wish);
    await expect(atPath({ password: "another horse" })).rejects.toMatchObject(STALE);
    const proved = atPath({ password: "another horse", currentPassword: PASSWORD });
    await expect(proved).resolves.toBeDefined();
  });

  it("of an account without a password has to be a fresh one", async () => {
    const person = await signedInBefore();
    await db.update(users).set({ passwordHash: null }).where(eq(users.id, person.user.id));
    const wish = { password: "another horse", currentPassword: "another horse" };
    await expect(change(person, wish)).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringMatching(/no password.*log in again/u),
    });
    await setSessions(person, new Date());
    await expect(change(person, wish)).resolves.toBeDefined();
  });
});

it("the old address is told of another address and of another password, however they were changed", async () => {
  const [person, admin] = [await newPerson(db), await newAdministrator(db)];
  const { deps, mailTo, linkFor, sent } = mailing(db);
  const told = async (address: string) => {
    await mailTo(address);
    const mails = sent.splice(0).filter(({ to, text }) => to === address && !text.includes("?token="));
    return mails.map(({ subject }) => subject).toSorted();
  };
  const [ADDRESS, WORD] = ["Your email address was changed", "Your password was changed"];
  const other = newEmail();
  await change(person, { email: other }, deps);
  expect((await mailTo(person.user.email))?.text).not.toContain(other);
  expect(await told(person.user.email)).toEqual([ADDRESS]);
  await change(person, { password: "another horse" }, deps);
  expect(await told(other)).toEqual([WORD]);
  await requestPasswordReset(deps, other, CLIENT);
  const { token } = await linkFor(other);
  await resetPassword(deps, { token, password: "a third horse" }, CLIENT);
  expect(await told(other)).toEqual([WORD]);
  const by = { caller: admin.caller, address: CLIENT.address };
  await changeAccount(deps, by, person.user.id, { email: newEmail(), password: "a fourth horse" });
  expect(await told(other)).toEqual([ADDRESS, WORD]);
});
