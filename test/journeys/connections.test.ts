import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type ConnectedChannels,
  connectedChannels,
  PATIENCE,
  storedEvents,
} from "#test/support/connected-channels.ts";
import type { Db } from "#src/platform/db/client.ts";
import { databaseOf } from "#test/support/database.ts";
import { type DiscordMock, startDiscord } from "#test/support/platforms/discord.ts";
import { type SignalBridge, startSignalBridge } from "#test/support/platforms/signal.ts";
import { type SlackMock, startSlack } from "#test/support/platforms/slack.ts";
import { startTelegramUpdates, type TelegramUpdates } from "#test/support/platforms/telegram-updates.ts";
import { startService, type TestService } from "#test/support/service.ts";

const BOT = "110201543";
const newToken = () => `${BOT}:${crypto.randomUUID()}`;

let telegram: TelegramUpdates;
let discord: DiscordMock;
let slack: SlackMock;
let service: TestService;
let db: Db;
let channels: ConnectedChannels;
let owner: { token: string };

beforeAll(async () => {
  [telegram, discord, slack] = await Promise.all([
    startTelegramUpdates(newToken()),
    startDiscord({ heartbeatMs: 2_000 }),
    startSlack(),
  ]);
  service = await startService({
    TELEGRAM_API_BASE_URL: telegram.url,
    DISCORD_API_BASE_URL: discord.url,
    SLACK_API_BASE_URL: slack.url,
    OUTBOUND_ALLOW_PRIVATE: "true",
  });
  db = databaseOf(service);
  // The first account is an administrator.
  owner = await service.signUp();
  channels = connectedChannels(service, owner.token);
});
afterAll(async () => {
  await service.close();
  await Promise.all([telegram.close(), discord.close(), slack.close()]);
});

/** What the minute's cron does, at once; and another attempt for what is stopped. */
async function reload(): Promise<void> {
  const { status } = await service.call("POST", "/api/gateway/reload", { token: owner.token });
  expect(status).toBe(200);
}

/** How often the bot began a session. */
const identifications = () =>
  discord.gateway.connections.flatMap(({ frames }) => frames).filter(({ op }) => op === 2).length;

const soon = (check: () => void | Promise<void>) => vi.waitFor(check, PATIENCE);

describe("a Telegram channel", () => {
  let id: string;
  const sent: string[] = [];
  const say = (words: string) => sent.push(`7:${telegram.write(words)}`);

  it("receives what is written, and confirms what is stored", async () => {
    id = await channels.add("telegram", { bot_token: telegram.token });
    await channels.waitFor(id, "connected");
    say("one");
    say("two");
    expect(await storedEvents(db, id, sent.length)).toEqual(sent.toSorted());
    await soon(() => expect(telegram.confirmed).toBe(telegram.lastId + 1));
    expect(await channels.get(id)).toMatchObject({ bot_name: "a_bot" });
  });

  it("goes on after connections that break off, and receives each message once", async () => {
    for (const words of ["three", "four", "five"]) {
      telegram.drop();
      say(words);
      expect(await storedEvents(db, id, sent.length)).toEqual(sent.toSorted());
    }
    await channels.waitFor(id, "connected");
  });

  it("tries again while another program reads, and says so", async () => {
    telegram.refuse({
      status: 409,
      body: { ok: false, description: "Conflict: terminated by other getUpdates request" },
    });
    const { last_error: error } = await channels.waitFor(id, "retrying");
    expect(error).toBe("Another program reads the bot's messages with the same token.");
    say("six");
    telegram.refuse(undefined);
    await reload();
    expect(await storedEvents(db, id, sent.length)).toEqual(sent.toSorted());
    expect(await channels.waitFor(id, "connected")).toMatchObject({ last_error: null });
  });

  it("stops when its token is revoked, until it gets another one", async () => {
    telegram.revoke();
    const { last_error: error } = await channels.waitFor(id, "stopped");
    expect(error).toContain("Telegram does not know the bot's token");
    await reload();
    await channels.waitFor(id, "stopped");
    telegram.token = newToken();
    await channels.change(id, { credentials: { bot_token: telegram.token } });
    await channels.waitFor(id, "connected");
    say("seven");
    expect(await storedEvents(db, id, sent.length)).toEqual(sent.toSorted());
  });

  it("follows a change that is not of its credentials without a new connection", async () => {
    const before = telegram.connections;
    await channels.change(id, { name: "Another name", group_mode: "all" });
    await reload();
    say("eight");
    expect(await storedEvents(db, id, sent.length)).toEqual(sent.toSorted());
    expect(telegram.connections).toBe(before);
  });

  it("is disconnected with its end", async () => {
    await channels.remove(id);
    await soon(() => expect(telegram.openPolls).toBe(0));
    await channels.waitFor(id, null);
  });
});

describe("a Discord channel", () => {
  let id: string;
  let place: string;
  const sent: string[] = [];
  const say = (text: string) => sent.push(discord.say({ channelId: place, text }));

  it("receives what is written, and keeps its heart beating", async () => {
    place = discord.addChannel();
    id = await channels.add("discord", discord.credentials);
    await channels.waitFor(id, "connected");
    say("one");
    expect(await storedEvents(db, id, sent.length)).toEqual(sent.toSorted());
    await soon(() => expect(discord.gateway.connections[0]?.heartbeats.length).toBeGreaterThan(2));
  });

  it.each([
    ["breaks off", () => discord.gateway.dropAll()],
    ["is closed", () => discord.gateway.closeAll(4_000)],
    ["is asked to be made again", () => discord.gateway.askToReconnect()],
    ["is interrupted", () => discord.gateway.invalidateSessions({ isResumable: true })],
  ])("goes on with its session when the connection %s", async (name, end) => {
    const before = identifications();
    end();
    say(name);
    expect(await storedEvents(db, id, sent.length)).toEqual(sent.toSorted());
    await soon(() => expect(discord.gateway.listening).toBe(1));
    expect(identifications()).toBe(before);
    await channels.waitFor(id, "connected");
  });

  it("begins a new session when the old one is over", async () => {
    const before = identifications();
    discord.gateway.invalidateSessions({ isResumable: false });
    // It waits for some seconds at most: too short a time for its state to be seen for certain.
    await soon(() => expect(identifications()).toBe(before + 1));
    await soon(() => expect(discord.gateway.listening).toBe(1));
    say("new");
    expect(await storedEvents(db, id, sent.length)).toEqual(sent.toSorted());
  });

  it("connects again when heartbeats are not acknowledged", async () => {
    const before = discord.gateway.connections.length;
    discord.gateway.acknowledges = false;
    await channels.waitFor(id, "retrying");
    discord.gateway.acknowledges = true;
    await reload();
    await soon(() => expect(discord.gateway.connections.length).toBeGreaterThan(before));
    await soon(() => expect(discord.gateway.listening).toBe(1));
    say("alive");
    expect(await storedEvents(db, id, sent.length)).toEqual(sent.toSorted());
  });

  it("answers commands at once", async () => {
    await channels.waitFor(id, "connected");
    const { id: interaction } = await discord.command(place, "ask", [
      { name: "what", type: 3, value: "this" },
    ]);
    sent.push(interaction);
    await soon(() => expect(discord.answered(interaction)).toBe(5));
    expect(await storedEvents(db, id, sent.length)).toEqual(sent.toSorted());
  });

  it("stops when its token is revoked", async () => {
    discord.revokeToken();
    const { last_error: error } = await channels.waitFor(id, "stopped");
    expect(error).toContain("Discord does not accept the bot token");
    await channels.remove(id);
  });
});

describe("a Slack channel", () => {
  let id: string;
  const sent: string[] = [];
  const say = async (text: string) => {
    const { ts } = await slack.say({ channelId: "D1", text });
    sent.push(`D1:${ts}`);
  };

  it("receives what is written, and acknowledges what is stored", async () => {
    slack.addChannel("D1");
    id = await channels.add("slack", slack.credentials);
    await channels.waitFor(id, "connected");
    await say("one");
    expect(await storedEvents(db, id, sent.length)).toEqual(sent.toSorted());
    await soon(() => expect(slack.sockets.unacknowledged).toEqual([]));
  });

  it.each(["warning", "refresh_requested"] as const)(
    "opens the next socket before the last one is closed (%s)",
    async (reason) => {
      const before = slack.sockets.connections.length;
      slack.sockets.disconnect(reason);
      await say(reason);
      expect(await storedEvents(db, id, sent.length)).toEqual(sent.toSorted());
      await soon(() => expect(slack.sockets.connections.length).toBe(before + 1));
      await soon(() => expect(slack.sockets.connections.filter(({ isClosed }) => !isClosed)).toHaveLength(1));
      expect(await channels.get(id)).toMatchObject({ connection_state: "connected" });
    },
  );

  it("connects again when its socket breaks off", async () => {
    slack.sockets.dropAll();
    await say("again");
    expect(await storedEvents(db, id, sent.length)).toEqual(sent.toSorted());
    await channels.waitFor(id, "connected");
  });

  it("stops when Socket Mode is switched off", async () => {
    slack.sockets.disconnect("link_disabled");
    const { last_error: error } = await channels.waitFor(id, "stopped");
    expect(error).toContain("Socket Mode is switched off");
    await channels.remove(id);
  });
});

describe.each(["json-rpc", "events", "normal", "native"] as const)(
  "a Signal channel, in the mode %s",
  (mode) => {
    let bridge: SignalBridge;
    let id: string;
    const sent: string[] = [];

    beforeAll(async () => {
      bridge = await startSignalBridge();
      bridge.mode = mode;
    });
    afterAll(() => bridge.close());

    const isPolled = mode === "normal" || mode === "native";
    const say = (text: string) => {
      const ann = bridge.newPerson("Ann");
      sent.push(`${ann.uuid}:${bridge.write(ann, { text })}`);
    };

    it("receives what is written", async () => {
      id = await channels.add("signal", {
        signal_cli_url: bridge.url,
        phone_number: bridge.account.number,
      });
      await channels.waitFor(id, "connected");
      say("one");
      say("two");
      expect(await storedEvents(db, id, sent.length)).toEqual(sent.toSorted());
    });

    it("connects again when the bridge restarts", async () => {
      bridge.drop();
      if (!isPolled) await bridge.listened();
      say("three");
      expect(await storedEvents(db, id, sent.length)).toEqual(sent.toSorted());
      await channels.waitFor(id, "connected");
    });

    it("is disconnected with its end", async () => {
      await channels.remove(id);
      await channels.waitFor(id, null);
      await soon(() => expect(bridge.listening).toBe(0));
    });
  },
);
