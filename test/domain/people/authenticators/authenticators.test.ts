import { Secret, TOTP } from "otpauth";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { adminActions, auditLog, authenticators, loginAttempts } from "#src/db/schema/index.ts";
import { authenticateUser } from "#src/domain/access/permissions/index.ts";
import { turnOffAuthenticatorOf } from "#src/domain/administration/accounts/index.ts";
import { logIn, logInAtOnce } from "#src/domain/people/accounts/index.ts";
import {
  confirmAuthenticator,
  readAuthenticator,
  renewRecoveryCodes,
  setUpAuthenticator,
  turnOffAuthenticator,
} from "#src/domain/people/authenticators/index.ts";
import { requestCode, resendCode, stepOfCode, verifyCode } from "#src/domain/people/two-factor/index.ts";
import { shutOthersOut } from "#src/domain/people/ways-in/index.ts";
import { newAdministrator } from "#test/support/administrators.ts";
import { timesAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import { mailing, otherThan } from "#test/support/mailbox.ts";
import { CLIENT, newPerson, PASSWORD } from "#test/support/people.ts";
import { sql } from "drizzle-orm";

const { db } = await fileDatabase();
const mail = mailing(db);
const { deps } = mail;

type Person = Awaited<ReturnType<typeof newPerson>>;

// Codes change by the clock: it moves where a test says so.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => vi.useRealTimers());
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

/** What the app shows now. */
const shownBy = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate();

const setUp = ({ caller }: Person, currentPassword: string | undefined = PASSWORD) =>
  setUpAuthenticator(deps, caller, { currentPassword, address: CLIENT.address });

/** A person whose app is on, some time ago. */
async function withApp() {
  const person = await newPerson(db);
  const { secret } = await setUp(person);
  const recoveryCodes = await confirmAuthenticator(deps, person.caller, shownBy(secret), CLIENT);
  pass(60);
  return { ...person, secret, recoveryCodes };
}

const login = ({ user }: Pick<Person, "user">) => ({ identifier: user.username, password: PASSWORD });

async function begin(person: Pick<Person, "user">) {
  const outcome = await logIn(deps, login(person), CLIENT);
  if (!("codeRequest" in outcome)) throw new Error("No code was asked for");
  return outcome.codeRequest;
}

const verify = (tempToken: string, code: string) => verifyCode(deps, { tempToken, code }, CLIENT);
const signIn = async (person: Pick<Person, "user">, code: string) =>
  verify((await begin(person)).tempToken, code);

const WRONG = expect.objectContaining({ code: "unauthenticated", message: "Invalid or expired code" });
const refused = (code: string) => expect.objectContaining({ code });

describe("a code of an authenticator app", () => {
  it("is that of RFC 6238, of the half minute before, and of the one after", async () => {
    // The secret and a moment of the RFC's appendix B; of its eight digits the last six.
    const secret = new Secret({ buffer: new TextEncoder().encode("12345678901234567890").buffer }).base32;
    for (const [moment, step] of [
      [59, 1],
      [29, 1],
      [89, 1],
      [119, undefined],
    ] as const) {
      vi.setSystemTime(moment * 1000);
      expect([moment, await stepOfCode(secret, "287082")]).toEqual([moment, step]);
    }
  });

  it("is needed with the password once the app is confirmed, and no mail is sent", async () => {
    const person = await withApp();
    mail.sent.splice(0);
    const { tempToken, method } = await begin(person);
    expect([method, mail.sent]).toEqual(["app", []]);
    await expect(verify(tempToken, otherThan(shownBy(person.secret)))).rejects.toEqual(WRONG);
    const { accessToken } = await verify(tempToken, shownBy(person.secret));
    expect(await authenticateUser(deps, accessToken)).toMatchObject({ userId: person.user.id });
    await expect(resendCode(deps, (await begin(person)).tempToken, CLIENT)).rejects.toEqual(
      refused("invalid_input"),
    );
    await expect(
      logInAtOnce({ ...deps, config: { ...deps.config, TWO_FA_ENABLED: false } }, login(person), CLIENT),
    ).rejects.toEqual(refused("invalid_input"));
  });

  it("is needed where the installation asks nobody for a mailed one, too", async () => {
    const person = await withApp();
    const config = { ...deps.config, TWO_FA_ENABLED: false };
    expect(await logIn({ ...deps, config }, login(person), CLIENT)).toHaveProperty("codeRequest");
    const other = await newPerson(db);
    expect(await logIn({ ...deps, config }, login(other), CLIENT)).toHaveProperty("session");
  });

  it("is good once, also in another login, at the same time, and after a newer one", async () => {
    const person = await withApp();
    const code = shownBy(person.secret);
    const logins = [await begin(person), await begin(person), await begin(person)];
    const opened = await Promise.allSettled(logins.map(({ tempToken }) => verify(tempToken, code)));
    expect(opened.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    pass(30);
    const before = shownBy(person.secret);
    pass(30);
    await signIn(person, shownBy(person.secret));
    await expect(signIn(person, before)).rejects.toEqual(WRONG);
  });

  it("is looked at five times in a login", async () => {
    const person = await withApp();
    const { tempToken } = await begin(person);
    const wrong = otherThan(shownBy(person.secret));
    const { refused: all } = await timesAtOnce(8, () => verify(tempToken, wrong));
    expect(all.filter(({ message }) => message === "Invalid or expired code")).toHaveLength(5);
    await expect(verify(tempToken, shownBy(person.secret))).rejects.toEqual(refused("unauthenticated"));
  });

  it("of another person opens nothing", async () => {
    const [one, other] = [await withApp(), await withApp()];
    await expect(signIn(one, shownBy(other.secret))).rejects.toEqual(WRONG);
    await expect(signIn(one, other.recoveryCodes[0] ?? "")).rejects.toEqual(WRONG);
  });
});

describe("an authenticator app", () => {
  it("does not count before a code of it has confirmed it, and the newest takes the place of one before", async () => {
    const person = await newPerson(db);
    const first = await setUp(person);
    const { secret } = await setUp(person);
    expect((await begin(person)).method).toBe("email");
    const confirm = (code: string) => confirmAuthenticator(deps, person.caller, code, CLIENT);
    await expect(confirm(shownBy(first.secret))).rejects.toEqual(refused("invalid_input"));
    expect(await confirm(shownBy(secret))).toHaveLength(10);
    expect((await begin(person)).method).toBe("app");
    await expect(confirm(shownBy(secret))).rejects.toEqual(refused("conflict"));
    await expect(setUp(person)).rejects.toEqual(refused("conflict"));
  });

  it("is set up by the account's holder alone", async () => {
    const person = await newPerson(db);
    await expect(setUp(person, "not the password")).rejects.toEqual(refused("invalid_input"));
    const { secret, uri } = await setUp(person);
    expect(new URL(uri).searchParams.get("secret")).toBe(secret);
    const [row] = await db.select().from(authenticators).where(eq(authenticators.userId, person.user.id));
    expect(JSON.stringify(row)).not.toContain(secret);
  });

  it("ends the logins that wait for a mailed code", async () => {
    const person = await newPerson(db);
    const { secret } = await setUp(person);
    const request = await requestCode(deps, person.user, CLIENT);
    const code = await mail.codeFor(person.user.email);
    await confirmAuthenticator(deps, person.caller, shownBy(secret), CLIENT);
    await expect(verify(request?.tempToken ?? "", code)).rejects.toEqual(refused("unauthenticated"));
  });

  it("is turned off by a code of it, which is noted", async () => {
    const person = await withApp();
    const turnOff = (code: string) => turnOffAuthenticator(deps, person.caller, code, CLIENT);
    await expect(turnOff(otherThan(shownBy(person.secret)))).rejects.toEqual(refused("invalid_input"));
    await turnOff(shownBy(person.secret));
    expect(await readAuthenticator({ db }, person.user.id)).toEqual({ since: null, recoveryCodesLeft: 0 });
    expect((await begin(person)).method).toBe("email");
    const entries = await db.select().from(auditLog).where(eq(auditLog.userId, person.user.id));
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["authenticator.on", "authenticator.off"]),
    );
  });

  it("goes with the account's other ways in when somebody else proves its address", async () => {
    const person = await withApp();
    await db.batch(shutOthersOut(db, person.user.id, sql`true`));
    expect((await begin(person)).method).toBe("email");
  });

  it("is turned off by an administrator, once, with the reason in the trail, and by nobody else", async () => {
    const person = await withApp();
    const waiting = await begin(person);
    const admin = await newAdministrator(db);
    const by = { caller: admin.caller, address: CLIENT.address, reason: "Lost it" };
    const turnOff = (caller = admin.caller) =>
      turnOffAuthenticatorOf({ db }, { ...by, caller }, person.user.id);
    await expect(turnOff(person.caller)).rejects.toEqual(refused("forbidden"));
    await turnOff();
    await expect(turnOff()).rejects.toEqual(refused("conflict"));
    const trail = await db.select().from(adminActions).where(eq(adminActions.targetId, person.user.id));
    expect(trail).toMatchObject([{ actionType: "authenticator.turned_off", reason: "Lost it" }]);
    const [row] = await db.select().from(loginAttempts).where(eq(loginAttempts.userId, person.user.id));
    expect(row?.usedAt).not.toBeNull();
    await expect(verify(waiting.tempToken, shownBy(person.secret))).rejects.toEqual(
      refused("unauthenticated"),
    );
  });
});

describe("a recovery code", () => {
  it("signs in once in place of a code, however it is written", async () => {
    const person = await withApp();
    const [first = "", second = ""] = person.recoveryCodes;
    expect(first).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/u);
    const logins = await Promise.all(Array.from({ length: 3 }, () => begin(person)));
    const opened = await Promise.allSettled(logins.map(({ tempToken }) => verify(tempToken, first)));
    expect(opened.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await signIn(person, second.toLowerCase().replaceAll("-", " "));
    expect(await readAuthenticator({ db }, person.user.id)).toMatchObject({ recoveryCodesLeft: 8 });
  });

  it("is void once new ones are made, for which a code is needed", async () => {
    const person = await withApp();
    const renew = (code: string) => renewRecoveryCodes(deps, person.caller, code, CLIENT);
    await expect(renew("AAAA-AAAA-AAAA-AAAA")).rejects.toEqual(refused("invalid_input"));
    const [fresh = ""] = await renew(shownBy(person.secret));
    await expect(signIn(person, person.recoveryCodes[0] ?? "")).rejects.toEqual(WRONG);
    await signIn(person, fresh);
  });
});
