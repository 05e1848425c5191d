import { DiscordAPIError, REST } from "@discordjs/rest";
import { WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type DiscordMock, startDiscord } from "../../support/platforms/discord.ts";

// GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES, MESSAGE_CONTENT
const INTENTS = 1 | (1 << 9) | (1 << 12) | (1 << 15);
const WAIT = { timeout: 60_000, interval: 20 };

let discord: DiscordMock;
let rest: REST;

function restOf({ url, credentials }: DiscordMock): REST {
  const client = new REST({ api: url.replace("/v10", ""), version: "10", retries: 1 });
  return client.setToken(credentials.bot_token);
}

function managerOf({ credentials }: DiscordMock, client: REST, intents = INTENTS): WebSocketManager {
  return new WebSocketManager(Object({ token: credentials.bot_token, intents, rest: client }));
}

beforeEach(async () => {
  discord = await startDiscord();
  rest = restOf(discord);
});
afterEach(() => discord.close());

describe("the mock of Discord, used by @discordjs/rest", () => {
  it("names the application and the bot", async () => {
    expect(await rest.get("/users/@me")).toMatchObject({ id: discord.bot.id, bot: true });
    expect(await rest.get("/applications/@me")).toMatchObject({
      id: discord.credentials.application_id,
      verify_key: discord.credentials.public_key,
    });
  });

  it("takes, changes, reacts to and deletes messages", async () => {
    const channel = discord.addChannel({ guildId: "1" });
    const post = (content: string) =>
      rest.post(`/channels/${channel}/messages`, { body: { content, nonce: "n", enforce_nonce: true } });
    const first = Object(await post("One"));
    expect(await post("Two")).toMatchObject({ id: first.id, content: "One" });
    await rest.put(`/channels/${channel}/messages/${first.id}/reactions/${encodeURIComponent("👀")}/@me`);
    await rest.patch(`/channels/${channel}/messages/${first.id}`, { body: { content: "Three" } });
    expect(discord.sent(channel)).toMatchObject([{ content: "Three", reactions: ["👀"], edits: 1 }]);
    await rest.delete(`/channels/${channel}/messages/${first.id}`);
    expect(discord.sent(channel)).toEqual([]);
    await expect(rest.delete(`/channels/${channel}/messages/${first.id}`)).rejects.toMatchObject({
      code: 10_008,
    });
  });

  it("takes files", async () => {
    const channel = discord.addChannel();
    const data = Buffer.from([0, 13, 10, 45, 45, 255]);
    await rest.post(`/channels/${channel}/messages`, {
      body: { content: "" },
      files: [{ name: "a.bin", data, contentType: "image/png" }],
    });
    expect(discord.sent(channel)[0]?.files).toEqual([
      { filename: "a.bin", mimeType: "image/png", bytes: data },
    ]);
  });

  it("returns errors and limits as the library reads them", async () => {
    const channel = discord.addChannel();
    const post = (body: object) => rest.post(`/channels/${channel}/messages`, { body });
    await expect(post({ content: "" })).rejects.toThrow(DiscordAPIError);
    await expect(post({ content: "x".repeat(2_001) })).rejects.toMatchObject({ code: 50_035, status: 400 });
    discord.refuse(channel, 50_013);
    await expect(post({ content: "Hi" })).rejects.toMatchObject({ code: 50_013, status: 403 });
    discord.refuse(channel, undefined);
    discord.failNext({ kind: "busy", retryAfterSeconds: 0.05 });
    await post({ content: "After the limit" });
    expect(discord.sent(channel)).toMatchObject([{ content: "After the limit" }]);
    discord.failNext({ kind: "answer", status: 502, text: "Bad gateway" });
    await post({ content: "After a failure" });
    discord.revokeToken();
    await expect(post({ content: "Hi" })).rejects.toMatchObject({ status: 401 });
  });

  it("replies to a command by its token", async () => {
    const channel = discord.addChannel();
    const { id, token } = await discord.command(channel, "new");
    const callback = () =>
      rest.post(`/interactions/${id}/${token}/callback`, { body: { type: 5 }, auth: false });
    await callback();
    await expect(callback()).rejects.toMatchObject({ code: 40_060 });
    expect(discord.sent(channel)).toEqual([]);
    const original: `/${string}` = `/webhooks/${discord.credentials.application_id}/${token}/messages/@original`;
    await rest.patch(original, { body: { content: "Done" }, auth: false });
    expect(discord.sent(channel)).toMatchObject([{ content: "Done" }]);
    discord.expireInteractions();
    await expect(rest.patch(original, { body: { content: "Late" }, auth: false })).rejects.toMatchObject({
      code: 50_027,
    });
  });
});

describe("the mock of Discord's gateway, used by @discordjs/ws", () => {
  let manager: WebSocketManager;
  const events: string[] = [];

  beforeEach(() => {
    events.length = 0;
    manager = managerOf(discord, rest);
    manager.on(WebSocketShardEvents.Dispatch, (payload) => {
      const { t: type, d: data } = Object(payload);
      events.push(type === "MESSAGE_CREATE" ? `${type} ${data.content}` : type);
    });
    manager.on(WebSocketShardEvents.Error, () => {});
  });
  afterEach(() => manager.destroy());

  const until = (what: string) => vi.waitFor(() => expect(events).toContain(what), WAIT);

  it("identifies, and hears what people write and press", async () => {
    await manager.connect();
    await until("READY");
    const channel = discord.addChannel({ guildId: "1" });
    discord.say({ channelId: channel, text: "Hello" });
    await until("MESSAGE_CREATE Hello");
    await rest.post(`/channels/${channel}/messages`, {
      body: {
        content: "Allow?",
        components: [{ type: 1, components: [{ type: 2, style: 1, label: "Yes", custom_id: "yes" }] }],
      },
    });
    await discord.press(discord.sent(channel)[0]?.id ?? "", "yes");
    await until("INTERACTION_CREATE");
    expect(discord.gateway.remaining).toBe(999);
  });

  it.each([
    ["a request to reconnect", (mock: DiscordMock) => mock.gateway.askToReconnect()],
    ["a closed connection", (mock: DiscordMock) => mock.gateway.closeAll(4_000)],
    ["a lost connection", (mock: DiscordMock) => mock.gateway.dropAll()],
  ])("resumes after %s, and gets what it missed", async (_, interrupt) => {
    await manager.connect();
    await until("READY");
    const channel = discord.addChannel();
    interrupt(discord);
    discord.say({ channelId: channel, text: "Missed" });
    await until("RESUMED");
    expect(events).toEqual(["READY", "MESSAGE_CREATE Missed", "RESUMED"]);
    expect(discord.gateway.connections.map(({ path }) => path)).toEqual(["/gateway", "/resume"]);
  });

  it("resumes an interrupted session on the same connection", async () => {
    await manager.connect();
    await until("READY");
    discord.gateway.invalidateSessions({ isResumable: true });
    discord.say({ channelId: discord.addChannel(), text: "Missed" });
    await until("RESUMED");
    expect(events).toEqual(["READY", "MESSAGE_CREATE Missed", "RESUMED"]);
    expect(discord.gateway.connections.length).toBe(1);
  });

  it("begins a new session when the old one is over", async () => {
    await manager.connect();
    await until("READY");
    discord.gateway.invalidateSessions({ isResumable: false });
    await vi.waitFor(() => expect(events).toEqual(["READY", "READY"]), WAIT);
    expect(discord.gateway.remaining).toBe(998);
  });

  it("begins a new session when Discord forgot the old one", async () => {
    await manager.connect();
    await until("READY");
    discord.gateway.forgetSessions();
    discord.gateway.closeAll(4_000);
    await vi.waitFor(() => expect(events).toEqual(["READY", "READY"]), WAIT);
    expect(discord.gateway.connections.map(({ path }) => path)).toContain("/resume");
  });

  it("sends a heartbeat when it is asked for one", async () => {
    await manager.connect();
    await until("READY");
    discord.gateway.askForHeartbeat();
    await vi.waitFor(() => expect(discord.gateway.connections[0]?.heartbeats).toContain(1), WAIT);
  });

  it("reads only private chats and mentions without the intent for contents", async () => {
    const modest = managerOf(discord, rest, INTENTS & ~(1 << 15));
    const heard: string[] = [];
    modest.on(WebSocketShardEvents.Dispatch, (payload) => heard.push(String(Object(payload).d.content)));
    await modest.connect();
    const group = discord.addChannel({ guildId: "1" });
    discord.say({ channelId: group, text: "Between people" });
    discord.say({ channelId: group, text: `<@${discord.bot.id}> To the bot` });
    discord.say({ channelId: discord.addChannel(), text: "In private" });
    await vi.waitFor(() => expect(heard).toContain("In private"), WAIT);
    expect(heard.slice(1)).toEqual(["", `<@${discord.bot.id}> To the bot`, "In private"]);
    await modest.destroy();
  });

  it("is left when it does not acknowledge heartbeats", async () => {
    const quick = await startDiscord({ heartbeatMs: 200 });
    const own = restOf(quick);
    const other = managerOf(quick, own);
    other.on(WebSocketShardEvents.Error, () => {});
    await other.connect();
    await vi.waitFor(
      () =>
        expect(quick.gateway.connections.flatMap(({ heartbeats }) => heartbeats).length).toBeGreaterThan(1),
      WAIT,
    );
    quick.gateway.acknowledges = false;
    const before = quick.gateway.connections.length;
    await vi.waitFor(() => expect(quick.gateway.connections.length).toBeGreaterThan(before), WAIT);
    quick.gateway.acknowledges = true;
    await vi.waitFor(() => expect(quick.gateway.listening).toBe(1), WAIT);
    expect(quick.gateway.remaining).toBe(999);
    await other.destroy();
    await quick.close();
  });

  it("refuses a wrong token and an intent that is off", async () => {
    discord.gateway.allowsMessageContent = false;
    await expect(manager.connect()).rejects.toThrow(/intents/u);
    expect(discord.gateway.connections[0]?.closed).toEqual({ code: 4_014, byClient: false });
  });
});
