import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditLog } from "#src/db/schema/index.ts";
import { adapters } from "#src/channels/index.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import * as channels from "#src/domain/messaging/channels/index.ts";
import type { UserCaller } from "#src/domain/organisations/access/index.ts";
import { newId } from "#src/lib/ids.ts";
import { openDatabase } from "#test/support/database.ts";
import { newPerson } from "#test/support/people.ts";
import { askedTelegram, channelWish as wish, TOKEN } from "./support/asked-telegram.ts";

const CLIENT = { address: "203.0.113.9", userAgent: "test" };
let database: Awaited<ReturnType<typeof openDatabase>>;
let owner: UserCaller;
let stranger: UserCaller;
beforeAll(async () => {
  database = await openDatabase();
  [owner, stranger] = [await newCaller(), await newCaller()];
});
afterAll(() => database.close());

const telegram = askedTelegram(() => database.db);
const { asked, failing, platforms, deps, api: fakeApi } = telegram;
const registered = (token: string, id: string) => telegram.registered(owner, token, id);

const sendTest = (id: string, target: string, caller = owner, dependencies = deps()) =>
  channels.sendTest(dependencies, caller, id, target);

async function newCaller(): Promise<UserCaller> {
  const { caller } = await newPerson(database.db);
  return caller;
}

describe("a channel", () => {
  it("has a name, a shard, masked credentials, and an address that shows no secret of Telegram's", async () => {
    const credentials = { bot_token: TOKEN, pool_tokens: ["short", "longer-1", "a-token-of-16-ch"] };
    const made = await channels.createChannel(
      deps(),
      owner,
      wish({ credentials, inboundMode: "webhook" }),
      CLIENT,
    );
    const { id, gatewayShard, encryptedCredentials } = made.channel;
    expect(made).toMatchObject({
      channel: { name: "My Telegram", groupMode: "mention", isActive: true, projectId: null },
      credentials: { bot_token: "123***XYZ", pool_tokens: ["***", "lon***", "a-t***-ch"] },
      webhookUrl: `https://workspace.test/api/channels/webhook/telegram/${id}`,
      setup: [expect.stringContaining("/start"), expect.any(String)],
    });
    expect(gatewayShard).toBeLessThan(4);
    expect(encryptedCredentials).not.toContain("ABCDEF");
    expect(await channels.listChannels(deps(), owner)).toEqual([made]);
    const { webhookSecret } = await channels.openSecrets(deps(), made.channel);
    expect(asked.join()).toContain(webhookSecret);
    expect(JSON.stringify(made)).not.toContain(webhookSecret);
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

  it("of a stand-in bot is refused in production", async () => {
    const standIn = wish({ credentials: { bot_token: "standin-team" } });
    const made = await channels.createChannel(deps(), owner, standIn, CLIENT);
    expect(made.channel.isActive).toBe(true);
    const production = deps(undefined, "production");
    await expect(channels.createChannel(production, owner, standIn, CLIENT)).rejects.toMatchObject({
      code: "invalid_input",
    });
    const change = { credentials: { bot_token: "standin" } };
    await expect(
      channels.updateChannel(production, owner, made.channel.id, change, CLIENT),
    ).rejects.toMatchObject({ code: "invalid_input" });
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

  it("stores who the bot is, and asks again for new credentials", async () => {
    const { channel } = await channels.createChannel(deps(), owner, wish(), CLIENT);
    expect(channel).toMatchObject({
      botId: "7",
      botName: "robin",
      lastError: null,
      inboundMode: "connection",
    });
    await channels.updateChannel(deps(), owner, channel.id, { name: "Other" }, CLIENT);
    await channels.updateChannel(deps(), owner, channel.id, { credentials: { bot_token: "b" } }, CLIENT);
    expect(asked).toEqual([`identify ${TOKEN}`, "identify b"]);
  });

  it.each(["refused", "unauthorized"] as const)("is not made with %s credentials", async (kind) => {
    failing.set("identify", new PlatformFailure(kind, "Telegram does not know this token."));
    const refusal = { code: "invalid_input", message: "Telegram does not know this token." };
    const person = await newCaller();
    await expect(channels.createChannel(deps(), person, wish(), CLIENT)).rejects.toMatchObject(refusal);
    expect(await channels.listChannels(deps(), person)).toEqual([]);
  });

  it("is made while the platform does not respond, and says so", async () => {
    failing.set("identify", new PlatformFailure("unreachable", "Telegram could not be reached."));
    const { channel } = await channels.createChannel(deps(), owner, wish(), CLIENT);
    expect(channel).toMatchObject({
      botId: null,
      botName: null,
      provedAt: null,
      lastError: "Telegram could not be reached.",
    });
  });

  it("has its webhook registered, moved and removed as it changes", async () => {
    const made = await channels.createChannel(deps(), owner, wish({ inboundMode: "webhook" }), CLIENT);
    const { id } = made.channel;
    expect(asked).toEqual([`identify ${TOKEN}`, await registered(TOKEN, id)]);
    const after = async (act: () => Promise<unknown>) => {
      asked.length = 0;
      await act();
      return asked;
    };
    const update = (change: channels.ChannelChange) =>
      channels.updateChannel(deps(), owner, id, change, CLIENT);
    expect(await after(() => update({ name: "Same" }))).toEqual([]);
    expect(await after(() => update({ credentials: { bot_token: "b" } }))).toEqual([
      "identify b",
      `remove ${TOKEN}`,
      await registered("b", id),
    ]);
    await channels.rotateSecret(deps(), owner, id, CLIENT);
    const rotated = await registered("b", id);
    expect(asked.at(-1)).toBe(rotated);
    expect(await after(() => update({ inboundMode: "connection" }))).toEqual(["remove b"]);
    const again = await after(() => update({ inboundMode: "webhook" }));
    expect(again).toEqual([await registered("b", id)]);
    // The owner may have seen the secret of an earlier webhook.
    expect(again).not.toEqual([rotated]);
    expect(await after(() => channels.deleteChannel(deps(), owner, id, CLIENT))).toEqual(["remove b"]);
    expect(await after(() => update({ isActive: true }))).toEqual([await registered("b", id)]);
  });

  it("is made although its webhook cannot be registered, and forgets that once it is", async () => {
    failing.set("register", new PlatformFailure("refused", "Telegram wants https."));
    failing.set("remove", new PlatformFailure("unreachable", "Telegram could not be reached."));
    const { channel } = await channels.createChannel(deps(), owner, wish({ inboundMode: "webhook" }), CLIENT);
    expect(channel.lastError).toBe("Telegram wants https.");
    failing.delete("register");
    expect((await channels.rotateSecret(deps(), owner, channel.id, CLIENT)).channel.lastError).toBeNull();
    await channels.deleteChannel(deps(), owner, channel.id, CLIENT);
  });

  it("of two rotations at once ends with the registration of the stored secret", async () => {
    const { channel } = await channels.createChannel(deps(), owner, wish({ inboundMode: "webhook" }), CLIENT);
    asked.length = 0;
    await Promise.all([1, 2, 3].map(() => channels.rotateSecret(deps(), owner, channel.id, CLIENT)));
    expect(asked.at(-1)).toBe(await registered(TOKEN, channel.id));
  });

  it.each([
    ["slack", { bot_token: "xoxb-1", signing_secret: "s" }, undefined, "webhook"],
    ["slack", { bot_token: "xoxb-1", signing_secret: "s", app_token: "xapp-1" }, undefined, "connection"],
    ["slack", { bot_token: "xoxb-1", signing_secret: "s", app_token: "xapp-1" }, "webhook", "webhook"],
    ["cli", {}, undefined, "connection"],
  ] as const)(
    "of %s with %o and the wish %s takes its messages by %s",
    async (channelType, credentials, inboundMode, is) => {
      const dependencies = {
        ...deps(),
        channels: { ...platforms, slack: { ...adapters.slack, api: () => fakeApi("") } },
      };
      const made = await channels.createChannel(
        dependencies,
        owner,
        wish({ channelType, credentials, inboundMode }),
        CLIENT,
      );
      expect(made.channel.inboundMode).toBe(is);
    },
  );

  it.each([
    ["cli", {}, "webhook", /^inbound_mode: .* by connection alone$/u],
    ["slack", { bot_token: "xoxb-1", signing_secret: "s" }, "connection", /^inbound_mode: .*app_token$/u],
  ] as const)(
    "of %s with %o does not take its messages by %s",
    async (channelType, credentials, inboundMode, message) => {
      await expect(
        channels.createChannel(deps(), owner, wish({ channelType, credentials, inboundMode }), CLIENT),
      ).rejects.toMatchObject({ code: "invalid_body", message: expect.stringMatching(message) });
    },
  );

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

describe("a test message", () => {
  it("is sent to a chat, and listed", async () => {
    const { channel } = await channels.createChannel(deps(), owner, wish({ name: "Support" }), CLIENT);
    expect(await sendTest(channel.id, "telegram:-100:5")).toEqual({
      messageId: "m1",
      jid: "telegram:-100:5",
    });
    expect(asked.at(-1)).toMatch(/^send \S+ -100:5 .*Support/u);
    failing.set(
      "send",
      new PlatformFailure("busy", "Telegram accepts no more calls.", { retryAfterSeconds: 9 }),
    );
    await expect(sendTest(channel.id, "telegram:1")).rejects.toMatchObject({
      code: "provider_failed",
      message: "Failed to send test message: Telegram accepts no more calls.",
      retryAfterSeconds: 9,
    });
    const page = { limit: 10, offset: 0 };
    expect(await channels.listChannelMessages(deps(), owner, channel.id, page)).toMatchObject([
      {
        jid: "telegram:1",
        status: "failed",
        error: "Telegram accepts no more calls.",
        direction: "outbound",
      },
      { jid: "telegram:-100:5", status: "delivered", platformMessageId: "m1" },
    ]);
  });

  it.each(["telegram", "telegram:", "slack:C1", "42", "self"])("is not sent to %s", async (target) => {
    const { channel } = await channels.createChannel(deps(), owner, wish(), CLIENT);
    await expect(sendTest(channel.id, target)).rejects.toMatchObject({ code: "invalid_input" });
    expect(asked).toEqual([`identify ${TOKEN}`]);
  });

  it("of a command-line channel reaches no terminal but its owner's", async () => {
    const cli = { channelType: "cli", credentials: {} } as const;
    const { channel } = await channels.createChannel(deps(), owner, wish(cli), CLIENT);
    const pushed: string[] = [];
    const terminals = { push: async (userId: string) => pushed.push(userId) };
    const dependencies = { ...deps(), apiEnvironment: { ...deps().apiEnvironment, terminals } };
    const foreign = sendTest(channel.id, `cli:${stranger.userId}`, owner, dependencies);
    await expect(foreign).rejects.toMatchObject({ code: "invalid_input" });
    await sendTest(channel.id, "self", owner, dependencies);
    expect(pushed).toEqual([owner.userId]);
  });

  it("is refused for another person's channel, a deleted one, and one without its key", async () => {
    const { channel } = await channels.createChannel(deps(), owner, wish(), CLIENT);
    await expect(sendTest(channel.id, "telegram:1", stranger)).rejects.toMatchObject({ code: "not_found" });
    const other = deps("the secret key of another installation");
    await expect(sendTest(channel.id, "telegram:1", owner, other)).rejects.toMatchObject({
      code: "internal",
      message: "Internal configuration error",
    });
    await channels.deleteChannel(deps(), owner, channel.id, CLIENT);
    await expect(sendTest(channel.id, "telegram:1")).rejects.toMatchObject({
      code: "invalid_input",
      message: "Channel config is not active",
    });
  });
});
