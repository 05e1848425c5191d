import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { platformIdentities } from "#src/db/schema/index.ts";
import * as identities from "#src/domain/messaging/identities/index.ts";
import type { AttemptLimits } from "#src/domain/operations/limits/index.ts";
import { fileDatabase } from "#test/support/database.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { CLIENT } from "#test/support/people.ts";
import { PlatformRows } from "./support/people-of-platforms.ts";

const LIMITS = {
  GATEWAY_PAIRING_CODE_TTL: 3600,
  GATEWAY_PAIRING_MAX_PENDING: 3,
  GATEWAY_PAIRING_RATE_LIMIT_MINUTES: 10,
};

const database = await fileDatabase();
const rows = new PlatformRows(database.db);
const newCaller = async () => (await newColleague(database.db)).caller;
const [owner, friend] = [await newCaller(), await newCaller()];

const attempts: AttemptLimits = { take: async () => undefined, giveBack: async () => {} };
const deps = () => ({ db: database.db, attempts, config: LIMITS });

const newChannel = async () => (await rows.channel({ id: owner.userId })).id;

let last = 0;
const newSender = () => ({ id: `${(last += 1)}`, name: `Sender ${last}`, alternateId: undefined });

async function newCode(channelConfigId: string, sender = newSender()): Promise<string | undefined> {
  return identities.newPairingCode(deps(), { channelConfigId, platform: "telegram", sender });
}

const verify = (code: string, platform: "telegram" | "slack" = "telegram", caller = friend) =>
  identities.verifyPairing(deps(), caller, { platform, code }, CLIENT);

const look = (code: string) =>
  identities.previewPairing(deps(), friend, { platform: "telegram", code }, CLIENT);

const stored = async (platformUserId: string) => {
  const isSender = eq(platformIdentities.platformUserId, platformUserId);
  return (await database.db.select().from(platformIdentities).where(isSender))[0];
};

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
    const row = await stored(sender.id);
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
    const guess = (code: string) => {
      const typed = { platform: "telegram", code } as const;
      return identities.verifyPairing({ ...deps(), attempts: counting }, friend, typed, CLIENT);
    };
    await expect(guess("AAAAAAAA")).rejects.toMatchObject(REFUSED);
    expect(counted).toEqual(["addressCode address", "personCode account"]);
    expect(given).toEqual([]);
    await guess((await newCode(await newChannel())) ?? "");
    expect(given).toHaveLength(2);
  });
});

describe("an identity", () => {
  it("is listed and unlinked by its person alone", async () => {
    const [person, stranger] = [await newCaller(), await newCaller()];
    const { id } = await verify((await newCode(await newChannel())) ?? "", "telegram", person);
    const listed = { identity: { id, isVerified: true }, channel: { ownerId: owner.userId } };
    expect(await identities.listIdentities(deps(), person)).toMatchObject([listed]);
    expect(await identities.listIdentities(deps(), stranger)).toEqual([]);
    const missing = { code: "not_found", message: "Identity not found" };
    await expect(identities.unlinkIdentity(deps(), stranger, id)).rejects.toMatchObject(missing);
    expect(await identities.unlinkIdentity(deps(), person, id)).toMatchObject({ platform: "telegram" });
    await expect(identities.unlinkIdentity(deps(), person, id)).rejects.toMatchObject(missing);
  });

  it("that waits for its code is forgotten by the channel's owner alone", async () => {
    const sender = newSender();
    await newCode(await newChannel(), sender);
    const id = (await stored(sender.id))?.id ?? "";
    const missing = { code: "not_found" };
    await expect(identities.unlinkIdentity(deps(), friend, id)).rejects.toMatchObject(missing);
    expect(await identities.unlinkIdentity(deps(), owner, id)).toMatchObject({ id });
  });
});
