import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditLog } from "#src/db/schema/index.ts";
import { adapters } from "#src/channels/index.ts";
import * as channels from "#src/domain/messaging/channels/index.ts";
import type { UserCaller } from "#src/domain/organisations/access/index.ts";
import { newId } from "#src/lib/ids.ts";
import { createSecretsAtRest } from "#src/platform/secrets/secrets-at-rest.ts";
import { openDatabase } from "#test/support/database.ts";
import { newPerson } from "#test/support/people.ts";

const CLIENT = { address: "203.0.113.9", userAgent: "test" };
const TOKEN = "123456:ABCDEFGHIJKLMNOPQRSTUVWXYZ";
let database: Awaited<ReturnType<typeof openDatabase>>;
let owner: UserCaller;
let stranger: UserCaller;
beforeAll(async () => {
  database = await openDatabase();
  [owner, stranger] = [await newCaller(), await newCaller()];
});
afterAll(() => database.close());

async function newCaller(): Promise<UserCaller> {
  const { caller } = await newPerson(database.db);
  return caller;
}

function deps(secretKey = "the secret key of this installation") {
  return {
    db: database.db,
    channelSecrets: createSecretsAtRest({ SECRET_KEY: secretKey }).channelSecrets,
    channels: adapters,
    config: { PUBLIC_URL: "https://workspace.test/", GATEWAY_NUM_SHARDS: 4 },
  };
}

const wish = (values: Partial<channels.ChannelWish> = {}): channels.ChannelWish => ({
  channelType: "telegram",
  name: undefined,
  credentials: { bot_token: TOKEN },
  projectId: null,
  defaultAgentId: null,
  groupMode: undefined,
  ...values,
});

describe("a channel", () => {
  it("has a name, a shard, masked credentials and an address with its secret", async () => {
    const credentials = { bot_token: TOKEN, pool_tokens: ["short", "longer-1", "a-token-of-16-ch"] };
    const made = await channels.createChannel(deps(), owner, wish({ credentials }), CLIENT);
    const { id, gatewayShard, encryptedCredentials } = made.channel;
    expect(made).toMatchObject({
      channel: { name: "My Telegram", groupMode: "mention", isActive: true, projectId: null },
      credentials: { bot_token: "123***XYZ", pool_tokens: ["***", "lon***", "a-t***-ch"] },
      webhookUrl: expect.stringMatching(
        new RegExp(
          `^https://workspace\\.test/api/channels/webhook/telegram/${id}\\?secret=[0-9a-f]{64}$`,
          "u",
        ),
      ),
      setup: [expect.stringContaining("/start"), expect.any(String)],
    });
    expect(gatewayShard).toBeLessThan(4);
    expect(encryptedCredentials).not.toContain("ABCDEF");
    expect(await channels.listChannels(deps(), owner)).toEqual([made]);
  });

  it("of a platform without webhooks has no address", async () => {
    const made = await channels.createChannel(
      deps(),
      owner,
      wish({ channelType: "cli", credentials: {} }),
      CLIENT,
    );
    expect(made.webhookUrl).toBeNull();
  });

  it.each([
    ["a missing value", {}, /^credentials\.bot_token: /u],
    ["a masked value", { bot_token: "123***XYZ" }, /is masked/u],
  ])("is refused with %s", async (_, credentials, message) => {
    await expect(channels.createChannel(deps(), owner, wish({ credentials }), CLIENT)).rejects.toMatchObject({
      code: "invalid_body",
      message: expect.stringMatching(message),
    });
  });

  it("takes no project and no agent that its owner cannot reach", async () => {
    for (const target of [{ projectId: newId() }, { defaultAgentId: newId() }])
      await expect(channels.createChannel(deps(), owner, wish(target), CLIENT)).rejects.toMatchObject({
        code: "not_found",
      });
  });

  it("is not there for another person", async () => {
    const { channel } = await channels.createChannel(deps(), owner, wish(), CLIENT);
    const attempts = [
      () => channels.requireChannel(deps(), stranger, channel.id),
      () => channels.updateChannel(deps(), stranger, channel.id, { name: "Mine" }, CLIENT),
      () => channels.rotateSecret(deps(), stranger, channel.id, CLIENT),
      () => channels.deleteChannel(deps(), stranger, channel.id, CLIENT),
      () => channels.listChannelMessages(deps(), stranger, channel.id, { limit: 10, offset: 0 }),
      () => channels.requireChannel(deps(), owner, "no id"),
    ];
    for (const attempt of attempts)
      await expect(attempt()).rejects.toMatchObject({
        code: "not_found",
        message: "Channel config not found",
      });
  });

  it("keeps the credentials that a change does not name", async () => {
    const credentials = { bot_token: TOKEN, pool_tokens: ["pool-token"] };
    const { channel } = await channels.createChannel(deps(), owner, wish({ credentials }), CLIENT);
    const change = { name: "Support", credentials: { bot_token: "another-token-123" } };
    const changed = await channels.updateChannel(deps(), owner, channel.id, change, CLIENT);
    expect(changed).toMatchObject({
      channel: { name: "Support", groupMode: "mention" },
      credentials: { bot_token: "ano***123", pool_tokens: ["poo***"] },
    });
  });

  it("gets another secret, and the credentials stay", async () => {
    const made = await channels.createChannel(deps(), owner, wish(), CLIENT);
    const rotated = await channels.rotateSecret(deps(), owner, made.channel.id, CLIENT);
    expect(rotated.webhookUrl).not.toBe(made.webhookUrl);
    expect(rotated.credentials).toEqual(made.credentials);
  });

  it("is deactivated once, stays in the list, and can be activated again", async () => {
    const { channel } = await channels.createChannel(deps(), owner, wish(), CLIENT);
    await channels.deleteChannel(deps(), owner, channel.id, CLIENT);
    await expect(channels.deleteChannel(deps(), owner, channel.id, CLIENT)).rejects.toMatchObject({
      code: "invalid_input",
      message: "Channel config is already deactivated",
    });
    expect(await channels.activeChannel(database.db, channel.id)).toBeUndefined();
    expect((await channels.listChannels(deps(), owner)).map((each) => each.channel.id)).toContain(channel.id);
    await channels.updateChannel(deps(), owner, channel.id, { isActive: true }, CLIENT);
    expect(await channels.activeChannel(database.db, channel.id)).toMatchObject({ id: channel.id });
  });

  it("whose credentials cannot be decrypted reports that, and takes new ones", async () => {
    const { channel } = await channels.createChannel(deps(), owner, wish(), CLIENT);
    const other = deps("the secret key of another installation");
    expect(await channels.showChannel(other, channel)).toMatchObject({
      credentials: {},
      webhookUrl: null,
      setup: [expect.stringContaining("cannot be decrypted")],
    });
  });

  it("leaves an entry of each change, without values", async () => {
    const person = await newCaller();
    const { channel } = await channels.createChannel(deps(), person, wish(), CLIENT);
    await channels.updateChannel(deps(), person, channel.id, { credentials: { bot_token: "x" } }, CLIENT);
    await channels.rotateSecret(deps(), person, channel.id, CLIENT);
    await channels.deleteChannel(deps(), person, channel.id, CLIENT);
    const entries = await database.db.select().from(auditLog).where(eq(auditLog.resourceId, channel.id));
    expect(entries.map(({ action, details }) => [action, details])).toEqual(
      expect.arrayContaining([
        ["channel.created", { channel_type: "telegram", name: "My Telegram" }],
        ["channel.updated", { fields: ["credentials"] }],
        ["channel.secret_rotated", { fields: ["webhook_secret"] }],
        ["channel.deleted", { fields: ["is_active"] }],
      ]),
    );
    expect(entries).toHaveLength(4);
  });
});
