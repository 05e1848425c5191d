import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { channelConfigs, platformIdentities } from "#src/db/schema/index.ts";
import * as identities from "#src/domain/messaging/identities/index.ts";
import type { UserCaller } from "#src/domain/organisations/access/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { AttemptLimits } from "#src/platform/objects/attempt-limits.ts";
import { openDatabase } from "#test/support/database.ts";
import { newPerson } from "#test/support/people.ts";

const CLIENT = { address: "203.0.113.9" };
const LIMITS = {
  GATEWAY_PAIRING_CODE_TTL: 3600,
  GATEWAY_PAIRING_MAX_PENDING: 3,
  GATEWAY_PAIRING_RATE_LIMIT_MINUTES: 10,
};

let database: Awaited<ReturnType<typeof openDatabase>>;
let owner: UserCaller;
let friend: UserCaller;
beforeAll(async () => {
  database = await openDatabase();
  owner = (await newPerson(database.db)).caller;
  friend = (await newPerson(database.db)).caller;
});
afterAll(() => database.close());

const attempts: AttemptLimits = { take: async () => undefined, giveBack: async () => {} };
const deps = () => ({ db: database.db, attempts, config: LIMITS });

async function newChannel(): Promise<string> {
  const id = newId();
  const secrets = { encryptedCredentials: "-", encryptedWebhookSecret: "-" };
  await database.db
    .insert(channelConfigs)
    .values({ id, userId: owner.userId, channelType: "telegram", name: "Bot", ...secrets });
  return id;
}

let last = 0;
const newSender = () => ({ id: `${(last += 1)}`, name: `Sender ${last}`, alternateId: undefined });

async function newCode(channelConfigId: string, sender = newSender()): Promise<string | undefined> {
  return identities.newPairingCode(deps(), { channelConfigId, platform: "telegram", sender });
}

const verify = (code: string, platform: "telegram" | "slack" = "telegram", caller = friend) =>
  identities.verifyPairing(deps(), caller, { platform, code }, CLIENT);

const look = (code: string) =>
  identities.previewPairing(deps(), friend, { platform: "telegram", code }, CLIENT);

const age = (platformUserId: string, minutes: number) =>
  database.db
    .update(platformIdentities)
    .set({
      pairingExpiresAt: sql`${platformIdentities.pairingExpiresAt} - make_interval(mins => ${minutes})`,
      codeSentAt: sql`${platformIdentities.codeSentAt} - make_interval(mins => ${minutes})`,
    })
    .where(eq(platformIdentities.platformUserId, platformUserId));

const REFUSED = { code: "not_found", message: "Invalid or expired pairing code" };

describe("a pairing code", () => {
  it("has eight characters that are not confused, is stored as a hash, and links its person once", async () => {
    const sender = newSender();
    const code = (await newCode(await newChannel(), sender)) ?? "";
    expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/u);
    const [row] = await database.db
      .select()
      .from(platformIdentities)
      .where(eq(platformIdentities.platformUserId, sender.id));
    expect(JSON.stringify(row)).not.toContain(code);
    const typed = ` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)} `;
    expect(await verify(typed)).toMatchObject({
      userId: friend.userId,
      isVerified: true,
      platformUserId: sender.id,
      pairedAt: expect.any(Date),
      codeHash: null,
    });
    await expect(verify(code)).rejects.toMatchObject(REFUSED);
    expect(await newCode(row?.channelConfigId ?? "", sender)).toBeUndefined();
    // In another channel the same sender is a stranger: its owner may only claim to be that sender.
    expect(await newCode(await newChannel(), sender)).toBeDefined();
  });

  it("tells whom it links and whose bot sent it, before it is used", async () => {
    const sender = newSender();
    const code = (await newCode(await newChannel(), sender)) ?? "";
    expect(await look(code)).toMatchObject({
      identity: { platformUserId: sender.id, platformUsername: sender.name },
      channel: { name: "Bot", ownerId: owner.userId, projectName: null },
    });
    await expect(look("AAAAAAAA")).rejects.toMatchObject(REFUSED);
    expect(await verify(code)).toMatchObject({ platformUserId: sender.id });
    await expect(look(code)).rejects.toMatchObject(REFUSED);
  });

  it("is refused in the same words when it is unknown, expired, or of another platform", async () => {
    const sender = newSender();
    const code = (await newCode(await newChannel(), sender)) ?? "";
    await expect(verify("AAAAAAAA")).rejects.toMatchObject(REFUSED);
    await expect(verify(code, "slack")).rejects.toMatchObject(REFUSED);
    await age(sender.id, 61);
    await expect(verify(code)).rejects.toMatchObject(REFUSED);
  });

  it("is given to the first of two who enter it at once", async () => {
    const code = (await newCode(await newChannel())) ?? "";
    const ended = await Promise.allSettled([verify(code), verify(code, "telegram", owner)]);
    expect(ended.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  it("comes once in ten minutes, and then in place of the earlier one", async () => {
    const [channel, sender] = [await newChannel(), newSender()];
    const first = (await newCode(channel, sender)) ?? "";
    expect(await newCode(channel, sender)).toBeUndefined();
    await age(sender.id, 11);
    const second = (await newCode(channel, sender)) ?? "";
    await expect(verify(first)).rejects.toMatchObject(REFUSED);
    expect(await verify(second)).toMatchObject({ platformUserId: sender.id });
  });

  it("is not sent while three of the channel wait; expired ones do not count", async () => {
    const channel = await newChannel();
    const senders = [newSender(), newSender(), newSender()];
    const sent = await Promise.all([...senders, newSender()].map((sender) => newCode(channel, sender)));
    expect(sent.filter((code) => code !== undefined)).toHaveLength(3);
    expect(await newCode(await newChannel())).toBeDefined();
    await Promise.all(senders.map(({ id }) => age(id, 61)));
    expect(await newCode(channel)).toBeDefined();
  });

  it("counts as a failed attempt until it is right", async () => {
    const counted: string[] = [];
    const given: string[] = [];
    const counting: AttemptLimits = {
      take: async (rule, counter) => {
        counted.push(`${rule} ${counter.split(":")[1]}`);
        return { allowed: true, limit: 5, remaining: 4, resetSeconds: 0, retryAfterSeconds: 0, receipt: "r" };
      },
      giveBack: async (counter) => void given.push(counter),
    };
    const guess = (code: string) =>
      identities.verifyPairing(
        { ...deps(), attempts: counting },
        friend,
        { platform: "telegram", code },
        CLIENT,
      );
    await expect(guess("AAAAAAAA")).rejects.toMatchObject(REFUSED);
    expect(counted).toEqual(["addressCode address", "personCode account"]);
    expect(given).toEqual([]);
    await guess((await newCode(await newChannel())) ?? "");
    expect(given).toHaveLength(2);
  });
});

describe("an identity", () => {
  it("is listed and unlinked by its person alone", async () => {
    const [person, stranger] = [(await newPerson(database.db)).caller, (await newPerson(database.db)).caller];
    const code = (await newCode(await newChannel())) ?? "";
    const { id } = await verify(code, "telegram", person);
    expect(await identities.listIdentities(deps(), person)).toMatchObject([
      { identity: { id, isVerified: true }, channel: { ownerId: owner.userId } },
    ]);
    expect(await identities.listIdentities(deps(), stranger)).toEqual([]);
    const missing = { code: "not_found", message: "Identity not found" };
    await expect(identities.unlinkIdentity(deps(), stranger, id)).rejects.toMatchObject(missing);
    expect(await identities.unlinkIdentity(deps(), person, id)).toMatchObject({ platform: "telegram" });
    await expect(identities.unlinkIdentity(deps(), person, id)).rejects.toMatchObject(missing);
  });

  it("that waits for its code is forgotten by the channel's owner alone", async () => {
    const sender = newSender();
    await newCode(await newChannel(), sender);
    const [waiting] = await database.db
      .select()
      .from(platformIdentities)
      .where(eq(platformIdentities.platformUserId, sender.id));
    await expect(identities.unlinkIdentity(deps(), friend, waiting?.id ?? "")).rejects.toMatchObject({
      code: "not_found",
    });
    expect(await identities.unlinkIdentity(deps(), owner, waiting?.id ?? "")).toMatchObject({
      id: waiting?.id,
    });
  });
});
