import { eq, isNotNull, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { Attempt } from "#durable-objects/channel-connection/attempt.ts";
import type { ChannelApi, Platform, Self } from "#src/channels/channel.ts";
import type { Account } from "#src/channels/connection.ts";
import { adapters } from "#src/channels/index.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { channelConfigs } from "#src/db/schema/index.ts";
import { createLog } from "#src/platform/log/log.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";
import { CLIENT } from "#test/support/people.ts";
import { askedTelegram, channelInput as input, TOKEN } from "./support/asked-telegram.ts";
import { PlatformRows } from "./support/people-of-platforms.ts";
import * as channels from "#src/domain/messaging/channels/index.ts";

const PLATFORMS = ["telegram", "slack", "discord", "whatsapp", "signal"] as const;
const HOUR_MS = 3_600_000;

const database = await fileDatabase();
const rows = new PlatformRows(database.db);
const owner = await rows.person();

/** What every platform answers. */
let found: Self | PlatformFailure;
beforeEach(async () => {
  found = { botId: "7", botName: "robin" };
  // Of the channels of other tests none is due.
  await database.db.update(channelConfigs).set({ isActive: false });
});

const telegram = askedTelegram(() => database.db);
const { asked, failing, deps } = telegram;
const api = () =>
  partOf<ChannelApi>({
    identify: async () => {
      if (found instanceof PlatformFailure) throw found;
      return found;
    },
  });
const quiet = () => {
  const platforms = Object.fromEntries(
    PLATFORMS.map((platform) => [platform, { ...adapters[platform], api }]),
  );
  return {
    ...deps(),
    channelSecrets: { ...deps().channelSecrets, decrypt: async (text: string) => text },
    channels: { ...adapters, ...platforms },
    log: { ...createLog(), warn: () => {} },
  };
};

/** A channel whose bot was proved a day ago. */
const newChannel = (channelType: Platform, values: Partial<channels.Channel> = {}) =>
  rows.channel(owner, {
    channelType,
    botId: "7",
    botName: "wren",
    provedAt: new Date(Date.now() - 24 * HOUR_MS),
    lastError: "A message failed.",
    ...values,
  });

async function stored(id: string): Promise<channels.Channel> {
  const [row] = await database.db.select().from(channelConfigs).where(eq(channelConfigs.id, id));
  if (!row) throw new Error("The channel is gone");
  return row;
}

/** What the minutes after an administrator's reload do. */
async function askAll(): Promise<void> {
  await channels.askBotsSoon(quiet());
  await channels.proveBots(quiet());
}

describe.each([
  ["telegram", "connection"],
  ["whatsapp", "webhook"],
] as const)("the bot of a channel of %s by %s", (platform, inboundMode) => {
  it("is known by its new name, and nothing else changes", async () => {
    const before = await newChannel(platform, { inboundMode });
    await askAll();
    const after = await stored(before.id);
    expect(after).toEqual({ ...before, botName: "robin", provedAt: after.provedAt });
    expect(after.provedAt?.getTime()).toBeGreaterThan(Date.now() - HOUR_MS);
  });

  it("takes nothing once the credentials are another bot's", async () => {
    const { id } = await newChannel(platform, { inboundMode });
    found = { botId: "8", botName: "robin" };
    await askAll();
    const lastError =
      "The credentials are those of another bot now: robin (8) instead of wren (7). Enter them again to use that bot.";
    expect(await stored(id)).toMatchObject({ botId: "7", provedAt: null, proveAt: null, lastError });
  });
});

/** A connection of the channel, which lasts until it is let go, and whom it listens as. */
async function connect(channel: channels.Channel) {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const { promise: connected, resolve: onConnected } = Promise.withResolvers<Account>();
  const attempt = new Attempt({
    services: partOf({ ...quiet(), config: { GATEWAY_ENABLED: true } }),
    connect: async (account) => {
      onConnected(account);
      await over;
    },
    generation: 1,
    channel,
    memory: { read: () => undefined, write: () => {} },
    onConnected: () => {},
    onPace: () => {},
  });
  const run = attempt.run();
  const account = await Promise.race([connected, run.then(() => undefined)]);
  return {
    attempt,
    name: () => account?.self.botName,
    end: async () => {
      end();
      await run;
    },
  };
}

describe("a connection", () => {
  const credentials = { bot_token: "xoxb-1", signing_secret: "secret", app_token: "xapp-1" };
  const encryptedCredentials = JSON.stringify(credentials);
  const open = () => newChannel("slack", { inboundMode: "connection", encryptedCredentials });

  it("listens by the name that its bot has now, and by every later one", async () => {
    const channel = await open();
    const { attempt, name, end } = await connect(channel);
    expect(name()).toBe("robin");
    expect(await stored(channel.id)).toMatchObject({ botName: "robin", lastError: channel.lastError });
    attempt.adopt(2, { ...channel, botName: "swift" });
    expect(name()).toBe("swift");
    await end();
  });

  it("listens by the name that it knows while the platform tells none", async () => {
    found = new PlatformFailure("busy", "Too many calls.");
    const { name, end } = await connect(await open());
    expect(name()).toBe("wren");
    await end();
  });

  it("is refused for another bot", async () => {
    const { id } = await open();
    found = { botId: "8", botName: "robin" };
    await expect(connect(await stored(id))).rejects.toMatchObject({ kind: "refused" });
    expect(await stored(id)).toMatchObject({ botId: "7", provedAt: null });
  });
});

describe("a bot that was proved", () => {
  it("is asked about once a day, at some time within two hours", async () => {
    const { id } = await newChannel("slack");
    const fresh = await newChannel("slack", { provedAt: new Date() });
    const ended = await newChannel("slack", { isActive: false });
    await channels.planBots(quiet());
    const at = (await stored(id)).proveAt?.getTime() ?? 0;
    expect(at).toBeGreaterThan(Date.now() - HOUR_MS / 60);
    expect(at).toBeLessThan(Date.now() + 2 * HOUR_MS);
    expect(await stored(fresh.id)).toMatchObject({ proveAt: null });
    expect(await stored(ended.id)).toMatchObject({ proveAt: null });
  });

  it.each([
    [new PlatformFailure("unreachable", "Slack could not be reached."), "A message failed."],
    [new PlatformFailure("unauthorized", "Slack accepts no such token."), "Slack accepts no such token."],
  ])("stays who it is after %s, and its owner is told of a refusal", async (failure, lastError) => {
    const before = await newChannel("slack");
    found = failure;
    await askAll();
    expect(await stored(before.id)).toEqual({ ...before, lastError });
  });

  it("has its connection told of a new name, and of another bot", async () => {
    const { id, gatewayShard: shard } = await newChannel("slack", { inboundMode: "connection" });
    const fingerprintOf = async (botId: string, botName: string) => {
      found = { botId, botName };
      await askAll();
      const connected = await channels.connectionChannels(database.db, { shard, shards: 1 });
      return connected.find((each) => each.id === id)?.fingerprint;
    };
    const first = await fingerprintOf("7", "wren");
    expect(await fingerprintOf("7", "wren")).toBe(first);
    const later = [await fingerprintOf("7", "robin"), await fingerprintOf("8", "robin")];
    expect(new Set([first, ...later]).size).toBe(3);
  });
});

const registered = (token: string, id: string) => telegram.registered(owner.caller, token, id);
const newWebhook = async () => {
  const wished = input({ inboundMode: "webhook" });
  return (await channels.createChannel(deps(), owner.caller, wished, CLIENT)).channel.id;
};

/** The sweep, when these channels are due, and no other one of this file. */
async function prove(...ids: readonly string[]): Promise<void> {
  await database.db
    .update(channelConfigs)
    .set({ proveAt: sql`now() + interval '1 day'` })
    .where(isNotNull(channelConfigs.proveAt));
  for (const id of ids) {
    await database.db
      .update(channelConfigs)
      .set({ proveAt: new Date(0) })
      .where(eq(channelConfigs.id, id));
  }
  await channels.proveBots({ ...deps(), log: { ...createLog(), warn: () => {} } });
}

describe("the bot of a webhook", () => {
  it("is proved later, with a secret of its own", async () => {
    failing.set("identify", new PlatformFailure("unreachable", "Telegram could not be reached."));
    const id = await newWebhook();
    const first = await registered(TOKEN, id);
    await prove(id);
    expect(await stored(id)).toMatchObject({ provedAt: null, lastError: "Telegram could not be reached." });
    failing.clear();
    await prove(id);
    const proved = { botId: "7", provedAt: expect.any(Date), proveAt: null, lastError: null };
    expect(await stored(id)).toMatchObject(proved);
    expect(asked.at(-1)).toBe(await registered(TOKEN, id));
    expect(asked.at(-1)).not.toBe(first);
    asked.length = 0;
    await prove();
    expect(asked).toEqual([]);
  });

  it("is given up when the platform refuses it, or says nothing for a week", async () => {
    failing.set("identify", new PlatformFailure("unreachable", "Telegram could not be reached."));
    const [refused, silent] = [await newWebhook(), await newWebhook()];
    await database.db
      .update(channelConfigs)
      .set({ createdAt: new Date(0) })
      .where(eq(channelConfigs.id, silent));
    await prove(silent);
    const lastError = expect.stringContaining("Enter the credentials again");
    expect(await stored(silent)).toMatchObject({ proveAt: null, lastError });
    const reason = "Telegram does not know this token.";
    failing.set("identify", new PlatformFailure("unauthorized", reason));
    await prove(refused);
    expect(await stored(refused)).toMatchObject({ provedAt: null, proveAt: null, lastError: reason });
  });
});
