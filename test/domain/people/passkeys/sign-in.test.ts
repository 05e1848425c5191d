import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { sessions, usedOauthStates, users } from "#src/db/schema/index.ts";
import {
  beginPasskey,
  beginPasskeySignIn,
  listPasskeys,
  removePasskey,
  signInWithPasskey,
} from "#src/domain/people/passkeys/index.ts";
import { newId } from "#src/lib/ids.ts";
import { timesAtOnce } from "#test/support/at-once.ts";
import { fileDatabase } from "#test/support/database.ts";
import { MemoryAttempts } from "#test/support/memory-attempts.ts";
import {
  auditedOf,
  NO_PROOF,
  NOT_ACCEPTED,
  NOT_THIS_BROWSER,
  ORIGIN,
  passkeyHolder,
  passkeyWorld,
  presented,
  refused,
  signInBy,
} from "#test/support/passkeys.ts";
import { CLIENT, newPerson } from "#test/support/people.ts";
import { SoftwareAuthenticator, type Told } from "#test/support/software-authenticator.ts";

const { db } = await fileDatabase();
const { deps } = passkeyWorld(db);

afterEach(() => vi.useRealTimers());

const withPasskey = () => passkeyHolder(deps);
const entriesOf = (userId: string) => auditedOf(db, userId);
const sessionsOf = (userId: string) => db.$count(sessions, eq(sessions.userId, userId));

describe("a sign-in with a passkey is refused", () => {
  const LIES: readonly [string, Told][] = [
    ["on a page of another origin", { origin: "https://service.test.evil.example" }],
    ["on a page of another port", { origin: `${ORIGIN}:8443` }],
    ["for another relying party", { rpId: "evil.example" }],
    ["without a verified user", { isUserVerified: false }],
    ["by what was signed to make a passkey", { type: "webauthn.create" }],
    ["that names another person", { userHandle: Buffer.alloc(16, 1).toString("base64url") }],
    ["that names nobody", { userHandle: null }],
  ];
  it.each(LIES)("%s", async (_, told) => {
    const { user, authenticator } = await withPasskey();
    const before = await sessionsOf(user.id);
    await expect(signInBy(deps, authenticator, told)).rejects.toEqual(NOT_ACCEPTED);
    expect(await sessionsOf(user.id)).toBe(before);
    await signInBy(deps, authenticator);
  });

  it("that was presented before, also at the same time", async () => {
    const { user, authenticator } = await withPasskey();
    const before = await sessionsOf(user.id);
    const { options, cookie } = await beginPasskeySignIn(deps);
    const answer = presented(authenticator.get(options), cookie.value);
    const outcome = await timesAtOnce(4, () => signInWithPasskey(deps, answer, CLIENT));
    expect([outcome.done.length, outcome.refused]).toEqual([1, Array(3).fill(NOT_THIS_BROWSER)]);
    await expect(signInWithPasskey(deps, answer, CLIENT)).rejects.toEqual(NOT_THIS_BROWSER);
    // A newer assertion for the used challenge is no better.
    const newer = presented(authenticator.get(options), cookie.value);
    await expect(signInWithPasskey(deps, newer, CLIENT)).rejects.toEqual(NOT_THIS_BROWSER);
    expect(await sessionsOf(user.id)).toBe(before + 1);
  });

  it("for a challenge that failed once: each is good for one try", async () => {
    const { authenticator } = await withPasskey();
    const { options, cookie } = await beginPasskeySignIn(deps);
    const wrong = presented(authenticator.get(options, { isUserVerified: false }), cookie.value);
    await expect(signInWithPasskey(deps, wrong, CLIENT)).rejects.toEqual(NOT_ACCEPTED);
    const right = presented(authenticator.get(options), cookie.value);
    await expect(signInWithPasskey(deps, right, CLIENT)).rejects.toEqual(NOT_THIS_BROWSER);
  });

  it("in another browser than began it, without its cookie, and with one of our own for another purpose", async () => {
    const { user, caller, authenticator } = await withPasskey();
    const [mine, other] = [await beginPasskeySignIn(deps), await beginPasskeySignIn(deps)];
    const addition = await beginPasskey(deps, caller, NO_PROOF, CLIENT);
    const answer = () => authenticator.get(mine.options);
    const oauth = await deps.secrets.encrypt(JSON.stringify({ id: newId(), provider: "github" }));
    const act = (cookie: string | undefined) => signInWithPasskey(deps, presented(answer(), cookie), CLIENT);
    const before = await sessionsOf(user.id);
    await expect(act(other.cookie.value)).rejects.toEqual(NOT_ACCEPTED);
    for (const cookie of [undefined, "", "x", oauth, addition.cookie.value])
      await expect(act(cookie)).rejects.toEqual(NOT_THIS_BROWSER);
    expect(await sessionsOf(user.id)).toBe(before);
    // None of them used up the challenge that it was for.
    await act(mine.cookie.value);
  });

  it("five minutes later", async () => {
    const { authenticator } = await withPasskey();
    const { options, cookie } = await beginPasskeySignIn(deps);
    const answer = presented(authenticator.get(options), cookie.value);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 301_000);
    await expect(signInWithPasskey(deps, answer, CLIENT)).rejects.toEqual(NOT_THIS_BROWSER);
  });

  it("by the key of another passkey, for all that it says", async () => {
    const [victim, thief] = [await withPasskey(), await withPasskey()];
    const [theirs] = victim.authenticator.credentials;
    const [own] = thief.authenticator.credentials;
    if (!theirs || !own) throw new Error("No passkey was made");
    const forged = { ...theirs, privateKey: own.privateKey };
    const { options, cookie } = await beginPasskeySignIn(deps);
    const answer = thief.authenticator.get(options, {}, forged);
    await expect(signInWithPasskey(deps, presented(answer, cookie.value), CLIENT)).rejects.toEqual(
      NOT_ACCEPTED,
    );
  });

  it("whose counter goes back or stands still, and its person's log says so", async () => {
    const { user, caller, authenticator } = await withPasskey();
    await signInBy(deps, authenticator, { counter: 7 });
    for (const counter of [6, 7, 0])
      await expect(signInBy(deps, authenticator, { counter })).rejects.toEqual(NOT_ACCEPTED);
    expect(await listPasskeys(deps, caller)).toMatchObject([{ counter: 7 }]);
    const noted = (await entriesOf(user.id)).filter((action) => action === "passkey.counter_went_back");
    expect(noted).toHaveLength(3);
    // A signature that is wrong says nothing of the counter.
    await expect(signInBy(deps, authenticator, { counter: 1, rpId: "x.example" })).rejects.toEqual(
      NOT_ACCEPTED,
    );
    expect((await entriesOf(user.id)).filter((action) => action.startsWith("passkey.counter"))).toHaveLength(
      3,
    );
    await signInBy(deps, authenticator, { counter: 8 });
  });

  it("for one of two with the same counter at once", async () => {
    const { authenticator } = await withPasskey();
    const { done, refused: others } = await timesAtOnce(3, () =>
      signInBy(deps, authenticator, { counter: 9 }),
    );
    expect([done.length, others]).toEqual([1, [NOT_ACCEPTED, NOT_ACCEPTED]]);
  });

  it("by a passkey that was removed meanwhile, that never was, and that of a person who is not active", async () => {
    const { caller, passkey, authenticator } = await withPasskey();
    const begun = await beginPasskeySignIn(deps);
    const answer = presented(authenticator.get(begun.options), begun.cookie.value);
    await removePasskey(deps, caller, { id: passkey.id, ...NO_PROOF }, CLIENT);
    await expect(signInWithPasskey(deps, answer, CLIENT)).rejects.toEqual(NOT_ACCEPTED);

    const stranger = new SoftwareAuthenticator(ORIGIN);
    stranger.create((await beginPasskey(deps, caller, NO_PROOF, CLIENT)).options);
    await expect(signInBy(deps, stranger)).rejects.toEqual(NOT_ACCEPTED);

    const other = await withPasskey();
    await db.update(users).set({ isActive: false }).where(eq(users.id, other.user.id));
    await expect(signInBy(deps, other.authenticator)).rejects.toEqual(NOT_ACCEPTED);
    await db.update(users).set({ isActive: true }).where(eq(users.id, other.user.id));
    await signInBy(deps, other.authenticator);
  });

  it.each(["AA", "e30", Buffer.from("[]").toString("base64url"), "_".repeat(5_000)])(
    "by what is no assertion: %.10s",
    async (junk) => {
      const { authenticator } = await withPasskey();
      for (const field of ["clientDataJSON", "authenticatorData", "signature"]) {
        const { options, cookie } = await beginPasskeySignIn(deps);
        const { id, response } = authenticator.get(options);
        const answer = presented({ id, response: { ...response, [field]: junk } }, cookie.value);
        await expect(signInWithPasskey(deps, answer, CLIENT)).rejects.toEqual(NOT_ACCEPTED);
      }
    },
  );

  it("after as many failures as of a password, in the network that failed; a success does not count", async () => {
    const { authenticator } = await withPasskey();
    const limited = { ...deps, attempts: new MemoryAttempts({ account: 3, everywhere: 6, address: 50 }) };
    const act = (told: Told, address: string) =>
      signInBy(limited, authenticator, told, { ...CLIENT, address });
    for (let count = 0; count < 4; count += 1) await act({}, "192.0.2.7");
    for (let count = 0; count < 3; count += 1)
      await expect(act({ isUserVerified: false }, "192.0.2.7")).rejects.toEqual(NOT_ACCEPTED);
    await expect(act({}, "192.0.2.7")).rejects.toEqual(refused("rate_limited"));
    await act({}, "192.0.2.8");
    // One that nobody has is counted in the same way.
    const stranger = new SoftwareAuthenticator(ORIGIN);
    const { caller } = await newPerson(db);
    stranger.create((await beginPasskey(deps, caller, NO_PROOF, CLIENT)).options);
    const unknown = () => signInBy(limited, stranger, {}, { ...CLIENT, address: "192.0.2.9" });
    for (let count = 0; count < 3; count += 1) await expect(unknown()).rejects.toEqual(NOT_ACCEPTED);
    await expect(unknown()).rejects.toEqual(refused("rate_limited"));
  });
});

it("nothing is stored for a visitor who begins a sign-in and goes", async () => {
  const before = await db.$count(usedOauthStates);
  await beginPasskeySignIn(deps);
  expect(await db.$count(usedOauthStates)).toBe(before);
});
