import { describe, expect, it } from "vitest";
import { adapters } from "#src/channels/index.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import * as channels from "#src/domain/messaging/channels/index.ts";
import { newId } from "#src/lib/ids.ts";
import { auditEntries } from "#test/domain/access/support/audit-entries.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { CLIENT } from "#test/support/people.ts";
import { askedTelegram, channelInput as input, TOKEN } from "./support/asked-telegram.ts";

const database = await fileDatabase();
const newCaller = async () => (await newColleague(database.db)).caller;
const [owner, stranger] = [await newCaller(), await newCaller()];

const telegram = askedTelegram(() => database.db);
const { asked, failing, platforms, deps, api: fakeApi } = telegram;
const registered = (token: string, id: string) => telegram.registered(owner, token, id);

const make = (values: Partial<channels.ChannelInput> = {}, caller = owner, dependencies = deps()) =>
  channels.createChannel(dependencies, caller, input(values), CLIENT);
const update = (id: string, change: channels.ChannelChange, caller = owner) =>
  channels.updateChannel(deps(), caller, id, change, CLIENT);
const rotate = (id: string, caller = owner) => channels.rotateSecret(deps(), caller, id, CLIENT);
const remove = (id: string, caller = owner) => channels.deleteChannel(deps(), caller, id, CLIENT);
const sendTest = (id: string, target: string, caller = owner, dependencies = deps()) =>
  channels.sendTest(dependencies, caller, id, target);

const unreachable = new PlatformFailure("unreachable", "Telegram could not be reached.");
const foreign = () => deps("the secret key of another installation");

describe("a channel", () => {
  it("has a name, a shard, masked credentials, and an address that shows no secret of Telegram's", async () => {
    const credentials = { bot_token: TOKEN, pool_tokens: ["short", "longer-1", "a-token-of-16-ch"] };
    const made = await make({ credentials, inboundMode: "webhook" });
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
    expect(await make({ channelType: "cli", credentials: {} })).toMatchObject({ webhookUrl: null });
  });

  it("of a stand-in bot is refused in production", async () => {
    const credentials = { bot_token: "standin-team" };
    const { channel } = await make({ credentials });
    expect(channel.isActive).toBe(true);
    const production = deps(undefined, "production");
    const refused = { code: "invalid_input" };
    await expect(make({ credentials }, owner, production)).rejects.toMatchObject(refused);
    const change = channels.updateChannel(production, owner, channel.id, { credentials }, CLIENT);
    await expect(change).rejects.toMatchObject(refused);
  });

  it("takes no project and no agent that its owner cannot reach, and is not there for another person", async () => {
    const { channel } = await make();
    const attempts = [
      make({ projectId: newId() }),
      make({ defaultAgentId: newId() }),
      channels.requireChannel(deps(), stranger, channel.id),
      update(channel.id, { name: "Mine" }, stranger),
      rotate(channel.id, stranger),
      remove(channel.id, stranger),
      channels.listChannelMessages(deps(), stranger, channel.id, { limit: 10, offset: 0 }),
      sendTest(channel.id, "telegram:1", stranger),
      channels.requireChannel(deps(), owner, "no id"),
    ];
    for (const outcome of await Promise.allSettled(attempts)) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "not_found" } });
    }
  });

  it("keeps the credentials that a change does not name", async () => {
    const credentials = { bot_token: TOKEN, pool_tokens: ["pool-token"] };
    const { channel } = await make({ credentials });
    const change = { name: "Support", credentials: { bot_token: "another-token-123" } };
    expect(await update(channel.id, change)).toMatchObject({
      channel: { name: "Support", groupMode: "mention" },
      credentials: { bot_token: "ano***123", pool_tokens: ["poo***"] },
    });
  });

  it("is deactivated once, stays in the list, and can be activated again", async () => {
    const { id } = (await make()).channel;
    await remove(id);
    const again = { code: "invalid_input", message: "Channel config is already deactivated" };
    await expect(remove(id)).rejects.toMatchObject(again);
    expect(await channels.activeChannel(database.db, id)).toBeUndefined();
    expect((await channels.listChannels(deps(), owner)).map(({ channel }) => channel.id)).toContain(id);
    await update(id, { isActive: true });
    expect(await channels.activeChannel(database.db, id)).toMatchObject({ id });
  });

  it("whose credentials cannot be decrypted reports that", async () => {
    const { channel } = await make();
    expect(await channels.showChannel(foreign(), channel)).toMatchObject({
      credentials: {},
      webhookUrl: null,
      setup: [expect.stringContaining("cannot be decrypted")],
    });
  });

  it("stores who the bot is, and asks again for new credentials", async () => {
    const { channel } = await make();
    const stored = { botId: "7", botName: "robin", lastError: null, inboundMode: "connection" };
    expect(channel).toMatchObject(stored);
    await update(channel.id, { name: "Other" });
    await update(channel.id, { credentials: { bot_token: "b" } });
    expect(asked).toEqual([`identify ${TOKEN}`, "identify b"]);
  });

  it.each(["refused", "unauthorized"] as const)("is not made with %s credentials", async (kind) => {
    failing.set("identify", new PlatformFailure(kind, "Telegram does not know this token."));
    const refusal = { code: "invalid_input", message: "Telegram does not know this token." };
    const person = await newCaller();
    await expect(make({}, person)).rejects.toMatchObject(refusal);
    expect(await channels.listChannels(deps(), person)).toEqual([]);
  });

  it("is made while the platform does not respond, and says so", async () => {
    failing.set("identify", unreachable);
    const unknown = { botId: null, botName: null, provedAt: null, lastError: unreachable.message };
    expect((await make()).channel).toMatchObject(unknown);
  });

  it("has its webhook registered, moved and removed as it changes", async () => {
    const { id } = (await make({ inboundMode: "webhook" })).channel;
    expect(asked).toEqual([`identify ${TOKEN}`, await registered(TOKEN, id)]);
    const after = async (work: Promise<unknown>) => {
      asked.length = 0;
      await work;
      return asked;
    };
    expect(await after(update(id, { name: "Same" }))).toEqual([]);
    expect(await after(update(id, { credentials: { bot_token: "b" } }))).toEqual([
      "identify b",
      `remove ${TOKEN}`,
      await registered("b", id),
    ]);
    await rotate(id);
    const rotated = await registered("b", id);
    expect(asked.at(-1)).toBe(rotated);
    expect(await after(update(id, { inboundMode: "connection" }))).toEqual(["remove b"]);
    const again = await after(update(id, { inboundMode: "webhook" }));
    expect(again).toEqual([await registered("b", id)]);
    // The owner may have seen the secret of an earlier webhook.
    expect(again).not.toEqual([rotated]);
    expect(await after(remove(id))).toEqual(["remove b"]);
    expect(await after(update(id, { isActive: true }))).toEqual([await registered("b", id)]);
  });

  it("is made although its webhook cannot be registered, and forgets that once it is", async () => {
    failing.set("register", new PlatformFailure("refused", "Telegram wants https."));
    failing.set("remove", unreachable);
    const { channel } = await make({ inboundMode: "webhook" });
    expect(channel.lastError).toBe("Telegram wants https.");
    failing.delete("register");
    expect((await rotate(channel.id)).channel.lastError).toBeNull();
    await remove(channel.id);
  });

  it("of several rotations at once ends with the registration of the stored secret", async () => {
    const { id } = (await make({ inboundMode: "webhook" })).channel;
    await Promise.all([1, 2, 3].map(() => rotate(id)));
    expect(asked.at(-1)).toBe(await registered(TOKEN, id));
  });

  const slack = { bot_token: "xoxb-1", signing_secret: "s" };
  it.each([
    ["slack", slack, undefined, "webhook"],
    ["slack", { ...slack, app_token: "xapp-1" }, undefined, "connection"],
    ["slack", { ...slack, app_token: "xapp-1" }, "webhook", "webhook"],
    ["slack", slack, "connection", "inbound_mode: .*app_token$"],
    ["cli", {}, undefined, "connection"],
    ["cli", {}, "webhook", "inbound_mode: .* by connection alone$"],
  ] as const)(
    "of %s with %o and the wish %s takes its messages so, or says why not: %s",
    async (channelType, credentials, inboundMode, outcome) => {
      const fake = { ...platforms, slack: { ...adapters.slack, api: () => fakeApi("") } };
      const making = make({ channelType, credentials, inboundMode }, owner, { ...deps(), channels: fake });
      const told = await making.then(
        ({ channel }) => channel.inboundMode,
        ({ code, message }: { code: string; message: string }) => `${code} ${message}`,
      );
      expect(told).toMatch(new RegExp(`^(invalid_body )?${outcome}$`, "u"));
    },
  );

  it("leaves an entry of each change, without values", async () => {
    const { id } = (await make()).channel;
    await update(id, { credentials: { bot_token: "x" } });
    await rotate(id);
    await remove(id);
    const entries = await auditEntries(database.db, { resourceId: id });
    expect(entries.map(({ action, details }) => [action, details])).toEqual([
      ["channel.created", { channel_type: "telegram", name: "My Telegram" }],
      ["channel.updated", { fields: ["credentials"] }],
      ["channel.secret_rotated", { fields: ["webhook_secret"] }],
      ["channel.deleted", { fields: ["is_active"] }],
    ]);
  });
});

describe("a test message", () => {
  it("is sent to a chat, and listed", async () => {
    const { id } = (await make({ name: "Support" })).channel;
    const sent = { messageId: "m1", jid: "telegram:-100:5" };
    expect(await sendTest(id, "telegram:-100:5")).toEqual(sent);
    expect(asked.at(-1)).toMatch(/^send \S+ -100:5 .*Support/u);
    const error = "Telegram accepts no more calls.";
    failing.set("send", new PlatformFailure("busy", error, { retryAfterSeconds: 9 }));
    await expect(sendTest(id, "telegram:1")).rejects.toMatchObject({
      code: "provider_failed",
      message: `Failed to send test message: ${error}`,
      retryAfterSeconds: 9,
    });
    const page = { limit: 10, offset: 0 };
    expect(await channels.listChannelMessages(deps(), owner, id, page)).toMatchObject([
      { jid: "telegram:1", status: "failed", error, direction: "outbound" },
      { jid: "telegram:-100:5", status: "delivered", platformMessageId: "m1" },
    ]);
  });

  it("is sent to no other platform's chat, and to none without a name", async () => {
    const { channel } = await make();
    for (const target of ["telegram", "telegram:", "slack:C1", "42", "self"]) {
      await expect(sendTest(channel.id, target)).rejects.toMatchObject({ code: "invalid_input" });
    }
    expect(asked).toEqual([`identify ${TOKEN}`]);
  });

  it("of a command-line channel reaches no terminal but its owner's", async () => {
    const { channel } = await make({ channelType: "cli", credentials: {} });
    const pushed: string[] = [];
    const terminals = { push: async (userId: string) => pushed.push(userId) };
    const dependencies = { ...deps(), apiEnvironment: { ...deps().apiEnvironment, terminals } };
    const another = sendTest(channel.id, `cli:${stranger.userId}`, owner, dependencies);
    await expect(another).rejects.toMatchObject({ code: "invalid_input" });
    await sendTest(channel.id, "self", owner, dependencies);
    expect(pushed).toEqual([owner.userId]);
  });

  it("is refused for a channel that was deleted, and one without its key", async () => {
    const { id } = (await make()).channel;
    await expect(sendTest(id, "telegram:1", owner, foreign())).rejects.toMatchObject({
      code: "internal",
      message: "Internal configuration error",
    });
    await remove(id);
    await expect(sendTest(id, "telegram:1")).rejects.toMatchObject({
      code: "invalid_input",
      message: "Channel config is not active",
    });
  });
});
