import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { auditLog, oauthAccounts, passkeys, sessions, users } from "#src/db/schema/index.ts";
import { authenticateUser } from "#src/domain/access/permissions/index.ts";
import { reencrypt } from "#src/domain/operations/secrets-at-rest/index.ts";
import { confirmAuthenticator, setUpAuthenticator } from "#src/domain/people/authenticators/index.ts";
import {
  addPasskey,
  beginPasskey,
  beginPasskeySignIn,
  listPasskeys,
  removePasskey,
  renamePasskey,
} from "#src/domain/people/passkeys/index.ts";
import { newId } from "#src/lib/ids.ts";
import { createSecretsAtRest } from "#src/platform/secrets/secrets-at-rest.ts";
import { createWebAuthn } from "#src/platform/webauthn/index.ts";
import { allAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import {
  apart,
  NO_PROOF,
  ORIGIN,
  newPasskey,
  passkeyWorld,
  refused,
  NOT_ACCEPTED,
  NOT_THIS_BROWSER,
  passkeyHolder,
  auditedOf,
  signInBy,
} from "#test/support/passkeys.ts";
import { callerOf, CLIENT, newPerson, PASSWORD } from "#test/support/people.ts";
import { SoftwareAuthenticator, type Told } from "#test/support/software-authenticator.ts";
import { Secret, TOTP } from "otpauth";

const { db } = await fileDatabase();
const { deps, mail } = passkeyWorld(db);

afterEach(() => vi.useRealTimers());

type Person = Awaited<ReturnType<typeof newPerson>>;

const withPasskey = (authenticator?: SoftwareAuthenticator) => passkeyHolder(deps, authenticator);

/** The session began a quarter of an hour ago. */
const makeStale = ({ user }: Pick<Person, "user">) =>
  db
    .update(sessions)
    .set({ createdAt: sql`now() - interval '15 minutes'` })
    .where(eq(sessions.userId, user.id));

const entriesOf = (userId: string) => auditedOf(db, userId);

const begin = (person: Pick<Person, "caller">, proof: object) =>
  beginPasskey(deps, person.caller, { ...NO_PROOF, ...proof }, CLIENT);

const removeLast = ({ caller }: Pick<Person, "caller">, id: string, oauth = deps.oauth) =>
  removePasskey({ ...deps, oauth }, caller, { id, ...NO_PROOF }, CLIENT);

/** As an account that came by a provider. */
async function withoutPassword() {
  const person = await withPasskey();
  const { user } = person;
  await db.update(users).set({ passwordHash: null }).where(eq(users.id, user.id));
  const link = { id: newId(), userId: user.id, provider: "github" as const, accountId: newId() };
  await db.insert(oauthAccounts).values({ ...link, email: user.email });
  return person;
}

describe("a passkey", () => {
  it("is added, signs in as both factors, and says when it was last used", async () => {
    const { user, caller, passkey, authenticator } = await withPasskey();
    expect(await listPasskeys(deps, caller)).toMatchObject([{ name: "Laptop", lastUsedAt: null }]);
    // The installation asks for a mailed code at each sign-in with a password.
    expect(deps.config.TWO_FA_ENABLED).toBe(true);
    mail.sent.splice(0);
    const { accessToken } = await signInBy(deps, authenticator);
    expect(await authenticateUser(deps, accessToken)).toMatchObject({ userId: user.id });
    const [used] = await listPasskeys(deps, caller);
    expect(used).toMatchObject({ id: passkey.id, lastUsedAt: expect.any(Date), counter: 2 });
    const entries = await db.select().from(auditLog).where(eq(auditLog.userId, user.id));
    expect(entries.map(({ action, details }) => [action, details])).toEqual(
      expect.arrayContaining([
        ["passkey.added", { name: "Laptop" }],
        ["session.started", { method: "passkey" }],
      ]),
    );
  });

  it("is told to its person by mail when it is added, and when it is removed", async () => {
    const { user, caller, passkey } = await withPasskey();
    expect(await mail.mailTo(user.email)).toMatchObject({
      subject: "A passkey was added to your account",
      text: expect.stringContaining(`${ORIGIN}/app/account/security`),
    });
    await removePasskey(deps, caller, { id: passkey.id, ...NO_PROOF }, CLIENT);
    expect(await mail.mailTo(user.email)).toMatchObject({
      subject: "A passkey was removed from your account",
      text: expect.stringContaining("Laptop"),
    });
    expect(await entriesOf(user.id)).toEqual(expect.arrayContaining(["passkey.added", "passkey.removed"]));
  });

  it("is renamed and removed by its person alone", async () => {
    const { caller, passkey, authenticator } = await withPasskey();
    const { caller: other } = await newPerson(db);
    const rename = (by: typeof caller, id: string) => renamePasskey(deps, by, { id, name: "Phone" }, CLIENT);
    const remove = (by: typeof caller, id: string) => removePasskey(deps, by, { id, ...NO_PROOF }, CLIENT);
    for (const act of [rename, remove]) {
      await expect(act(other, passkey.id)).rejects.toEqual(refused("not_found"));
      await expect(act(caller, "no id")).rejects.toEqual(refused("not_found"));
    }
    expect(await rename(caller, passkey.id)).toMatchObject({ name: "Phone" });
    await signInBy(deps, authenticator);
    await remove(caller, passkey.id);
    await expect(remove(caller, passkey.id)).rejects.toEqual(refused("not_found"));
    expect(await listPasskeys(deps, caller)).toEqual([]);
  });

  it("of an authenticator that does not count signs in again and again", async () => {
    const { caller, authenticator } = await withPasskey(
      new SoftwareAuthenticator(ORIGIN, { counts: false, isBackedUp: true }),
    );
    await signInBy(deps, authenticator);
    await signInBy(deps, authenticator);
    expect(await listPasskeys(deps, caller)).toMatchObject([{ counter: 0, isBackedUp: true }]);
  });

  it("is not offered a second time to an authenticator that has it, and not stored twice", async () => {
    const { caller, passkey, authenticator } = await withPasskey();
    const { options, cookie } = await beginPasskey(deps, caller, NO_PROOF, CLIENT);
    expect(options.excludeCredentials).toEqual([
      { type: "public-key", id: passkey.credentialId, transports: ["internal"] },
    ]);
    const id = Buffer.from(passkey.credentialId, "base64url");
    const { transports, ...credential } = apart(authenticator.create(options, { id }));
    const added = { name: "x", credential, transports, cookie: cookie.value };
    await expect(addPasskey(deps, caller, added, CLIENT)).rejects.toEqual(refused("conflict"));
    expect(await listPasskeys(deps, caller)).toHaveLength(1);
  });

  it("may come with an attestation that it has signed itself", async () => {
    const { caller } = await newPerson(db);
    const own = new SoftwareAuthenticator(ORIGIN);
    const { authenticator } = await newPasskey(deps, caller, own, { attestation: "self" });
    expect(await signInBy(deps, authenticator)).toHaveProperty("accessToken");
  });

  it("signs in after the keys of the installation were replaced", async () => {
    const old = { SECRET_KEY: "the secret key of this installation, once" };
    const now = { SECRET_KEY: "the secret key of this installation, today" };
    const before = { ...deps, secrets: createSecretsAtRest(old).secrets };
    const { caller } = await newPerson(db);
    const { authenticator } = await newPasskey(before, caller);
    await reencrypt({
      db,
      ...createSecretsAtRest({ ...now, PREVIOUS_SECRET_KEY: old.SECRET_KEY }),
    });
    const after = { ...deps, secrets: createSecretsAtRest(now).secrets };
    expect(await signInBy(after, authenticator)).toHaveProperty("accessToken");
  });

  it("goes with its account", async () => {
    const { user, authenticator } = await withPasskey();
    await db.delete(auditLog).where(eq(auditLog.userId, user.id));
    await db.execute(sql`DELETE FROM users WHERE id = ${user.id}::uuid`);
    expect(await db.$count(passkeys, eq(passkeys.userId, user.id))).toBe(0);
    await expect(signInBy(deps, authenticator)).rejects.toEqual(NOT_ACCEPTED);
  });
});

describe("a new passkey is refused", () => {
  const LIES: readonly [string, Told][] = [
    ["on a page of another origin", { origin: "https://evil.example" }],
    ["for another relying party", { rpId: "evil.example" }],
    ["without a verified user", { isUserVerified: false }],
    ["by what was signed to sign in", { type: "webauthn.get" }],
  ];
  it.each(LIES)("%s", async (_, told) => {
    const { caller } = await newPerson(db);
    const making = newPasskey(deps, caller, new SoftwareAuthenticator(ORIGIN), told);
    await expect(making).rejects.toEqual(refused("invalid_input", /was not accepted/u));
    expect(await listPasskeys(deps, caller)).toEqual([]);
  });

  it("with the challenge of another person, of another session, of a sign-in, and one that was used", async () => {
    const [one, other] = [await newPerson(db), await newPerson(db)];
    const begun = await beginPasskey(deps, one.caller, NO_PROOF, CLIENT);
    const signIn = await beginPasskeySignIn(deps);
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    const { transports, ...credential } = apart(authenticator.create(begun.options));
    const add = (caller: typeof one.caller, cookie: string | undefined) =>
      addPasskey(deps, caller, { name: "x", credential, transports, cookie }, CLIENT);
    const { accessToken } = await signInBy(deps, (await newPasskey(deps, one.caller)).authenticator);
    const elsewhere = await callerOf(deps, { accessToken });
    await expect(add(other.caller, begun.cookie.value)).rejects.toEqual(NOT_THIS_BROWSER);
    await expect(add(elsewhere, begun.cookie.value)).rejects.toEqual(NOT_THIS_BROWSER);
    for (const cookie of [undefined, signIn.cookie.value])
      await expect(add(one.caller, cookie)).rejects.toEqual(NOT_THIS_BROWSER);
    await add(one.caller, begun.cookie.value);
    await expect(add(one.caller, begun.cookie.value)).rejects.toEqual(NOT_THIS_BROWSER);
    expect(await listPasskeys(deps, other.caller)).toEqual([]);
  });

  it("once the session has ended", async () => {
    const { user, caller } = await newPerson(db);
    const begun = await beginPasskey(deps, caller, NO_PROOF, CLIENT);
    const { transports, ...credential } = apart(new SoftwareAuthenticator(ORIGIN).create(begun.options));
    await db.update(sessions).set({ endedAt: new Date() }).where(eq(sessions.userId, user.id));
    const added = { name: "x", credential, transports, cookie: begun.cookie.value };
    await expect(addPasskey(deps, caller, added, CLIENT)).rejects.toEqual(refused("conflict"));
    expect(await db.$count(passkeys, eq(passkeys.userId, user.id))).toBe(0);
  });

  it.each(["packed", "fido-u2f", "tpm", "apple", "android-key", "android-safetynet", "x"])(
    "with certificates, before the library reads the addresses in them: %s",
    async (format) => {
      const { caller } = await newPerson(db);
      const statement = new Map<string, unknown>([
        ["alg", -7],
        ["sig", Buffer.alloc(70, 1)],
        ["x5c", [Buffer.alloc(300, 1)]],
      ]);
      const told = { attestation: [format, statement] } as const;
      const making = newPasskey(deps, caller, new SoftwareAuthenticator(ORIGIN), told);
      await expect(making).rejects.toEqual(refused("invalid_input"));
      const { options } = await beginPasskey(deps, caller, NO_PROOF, CLIENT);
      const { transports: _, ...credential } = apart(new SoftwareAuthenticator(ORIGIN).create(options, told));
      expect(await deps.webAuthn?.verifyCreation(credential, options.challenge)).toEqual({
        refusal: expect.objectContaining({ message: `An attestation with certificates: ${format}` }),
      });
    },
  );

  it("where the service has no host name", async () => {
    const { caller } = await newPerson(db);
    const nowhere = {
      ...deps,
      webAuthn: createWebAuthn({ publicUrl: "https://192.0.2.1", production: true }),
    };
    await expect(beginPasskey(nowhere, caller, NO_PROOF, CLIENT)).rejects.toEqual(refused("not_configured"));
    await expect(beginPasskeySignIn(nowhere)).rejects.toEqual(refused("not_configured"));
  });
});

describe("to change the passkeys of an account", () => {
  it("a session that began long ago needs the password", async () => {
    const person = await withPasskey();
    await makeStale(person);
    const remove = (proof: object) =>
      removePasskey(deps, person.caller, { id: person.passkey.id, ...NO_PROOF, ...proof }, CLIENT);
    for (const act of [(proof: object) => begin(person, proof), remove]) {
      await expect(act({})).rejects.toEqual(refused("forbidden", /current_password.*log in again/u));
      await expect(act({ code: "123456" })).rejects.toEqual(refused("forbidden"));
      await expect(act({ currentPassword: "a guess" })).rejects.toEqual(refused("invalid_input"));
      await act({ currentPassword: PASSWORD });
    }
  });

  it("a person with an authenticator app needs a code of it, and the password is not enough", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const person = await withPasskey();
    const setUp = { currentPassword: PASSWORD, address: CLIENT.address };
    const { secret } = await setUpAuthenticator(deps, person.caller, setUp);
    const shown = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    const [recovery = ""] = await confirmAuthenticator(deps, person.caller, shown(), CLIENT);
    vi.setSystemTime(Date.now() + 60_000);
    const remove = (proof: object) =>
      removePasskey(deps, person.caller, { id: person.passkey.id, ...NO_PROOF, ...proof }, CLIENT);
    for (const act of [(proof: object) => begin(person, proof), remove]) {
      await expect(act({})).rejects.toEqual(refused("forbidden", /authenticator app/u));
      await expect(act({ currentPassword: PASSWORD })).rejects.toEqual(refused("forbidden"));
      await expect(act({ code: "000000", currentPassword: PASSWORD })).rejects.toEqual(
        refused("invalid_input", /code is wrong/u),
      );
    }
    await begin(person, { code: shown() });
    await expect(remove({ code: shown() })).rejects.toEqual(refused("invalid_input"));
    await remove({ code: recovery });
    expect(await listPasskeys(deps, person.caller)).toEqual([]);
  });
});

describe("the last way to sign in", () => {
  const LAST = refused("conflict", /set a password, or add another passkey/u);
  const provider = { authorizationUrl: async () => "", identify: async () => ({ accountId: "" }) };

  it("is not removed: without a password a link counts only to a provider of the installation", async () => {
    const person = await withoutPassword();
    await expect(removeLast(person, person.passkey.id)).rejects.toEqual(LAST);
    await expect(
      removeLast(person, person.passkey.id, { github: undefined, google: provider }),
    ).rejects.toEqual(LAST);
    await signInBy(deps, person.authenticator);
    expect(await entriesOf(person.user.id)).not.toContain("passkey.removed");
    await removeLast(person, person.passkey.id, { github: provider, google: undefined });
    expect(await listPasskeys(deps, person.caller)).toEqual([]);
  });

  it("is one of two passkeys that are removed at once", async () => {
    const person = await withoutPassword();
    const { passkey: second } = await newPasskey(deps, person.caller);
    const { done, refused: left } = await allAtOnce([
      removeLast(person, person.passkey.id),
      removeLast(person, second.id),
    ]);
    expect([done.length, left]).toEqual([1, [LAST]]);
    expect(await listPasskeys(deps, person.caller)).toHaveLength(1);
  });
});

it.each([
  ["https://agents.example.com/", true, "agents.example.com", "https://agents.example.com"],
  ["http://127.0.0.1:8787", false, "localhost", "http://localhost:8787"],
  ["http://localhost:8787", false, "localhost", "http://localhost:8787"],
])("at %s passkeys are of one host and one origin", (publicUrl, production, id, origin) => {
  const webAuthn = createWebAuthn({ publicUrl, production });
  expect([webAuthn?.origin, webAuthn?.requestOptions("AA").rpId]).toEqual([origin, id]);
});

it.each(["http://127.0.0.1:8787", "https://192.0.2.1", "https://[2001:db8::1]"])(
  "at %s a public service has no passkeys",
  (publicUrl) => {
    expect(createWebAuthn({ publicUrl, production: true })).toBeUndefined();
  },
);
