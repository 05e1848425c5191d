import { count, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { EventCounts } from "#durable-objects/rate-limiter/event-counts.ts";
import { Attempt } from "#durable-objects/channel-connection/attempt.ts";
import { type ChannelAdapter, type Platform, PLATFORMS, type ReceivedEvent } from "#src/channels/channel.ts";
import { connections } from "#src/channels/connections.ts";
import { adapters } from "#src/channels/index.ts";
import { channelConfigs, channelEvents, channelMessages } from "#src/db/schema/index.ts";
import { receiveEvents, receiveWebhook, eventsReceived } from "#src/domain/messaging/inbox/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { RateLimits } from "#src/domain/operations/limits/index.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import type { Services } from "#src/services.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { NO_EVENT_LIMITS } from "#test/support/event-limits.ts";
import { some } from "#test/support/draw.ts";
import { partOf } from "#test/support/part-of.ts";

const database = await fileDatabase();

const ALL = { channel: 300, owner: 600 };

/** The counts of one person's channels, with a clock that the test turns. */
function limitsAt(clock: { now: number }, limits = ALL): Pick<RateLimits, "takeEvents"> {
  const counts = new EventCounts();
  return {
    takeEvents: async ({ id: channelId }, wanted) => counts.take({ channelId, wanted, limits }, clock.now),
  };
}

/** A channel's inbox, and what it published. The platform only says what was sent. */
async function newInbox(
  channelType: Platform,
  rateLimits: Pick<RateLimits, "takeEvents"> = NO_EVENT_LIMITS,
  owner?: { id: string },
) {
  const { db } = database;
  const { id: userId } = owner ?? (await newColleague(db));
  const secrets = { encryptedCredentials: "{}", encryptedWebhookSecret: "secret" };
  const wish = {
    id: newId(),
    userId,
    channelType,
    name: "Bot",
    ...secrets,
    botId: "1",
    provedAt: new Date(),
  };
  const [channel] = await db.insert(channelConfigs).values(wish).returning();
  if (!channel) throw new Error("The channel was not stored");
  const published: QueueMessage[] = [];
  let sent: readonly ReceivedEvent[] = [];
  const adapter: ChannelAdapter = {
    ...adapters[channelType],
    credentials: z.object({}),
    handshake: () => undefined,
    verify: async () => true,
    parse: () => ({ reply: { empty: true }, events: sent }),
    api: () => partOf({ identify: async () => ({ botId: "1", botName: undefined }) }),
  };
  const deps = partOf<Services>({
    db,
    queue: { publish: async (message: QueueMessage) => void published.push(message) },
    rateLimits,
    channels: { [channelType]: adapter },
    apiEnvironment: {},
    channelSecrets: { encrypt: async (text: string) => text, decrypt: async (text: string) => text },
    config: { GATEWAY_ENABLED: true },
    log: { error: () => {}, warn: () => {} },
  });
  const request = {
    method: "POST" as const,
    headers: new Headers(),
    query: new URLSearchParams(),
    body: new Uint8Array(),
  };
  return {
    channel,
    deps,
    published,
    /** The platform calls the webhook. Returns how it is refused. */
    async call(events: readonly ReceivedEvent[]) {
      sent = events;
      const target = { type: channelType, channelId: channel.id, secret: undefined };
      return receiveWebhook(deps, target, request).then(
        () => undefined,
        (refusal: unknown) => refusal,
      );
    },
    async stored() {
      const ofChannel = eq(channelEvents.channelConfigId, channel.id);
      const [row] = await db.select({ events: count() }).from(channelEvents).where(ofChannel);
      return row?.events ?? 0;
    },
    async note() {
      const [row] = await db.select().from(channelConfigs).where(eq(channelConfigs.id, channel.id));
      return row?.lastError ?? null;
    },
  };
}

const messages = (many: number, first = 0): ReceivedEvent[] =>
  Array.from({ length: many }, (_, index) => {
    const id = `person-${first + index}`;
    return {
      kind: "message",
      id: `event-${first + index}`,
      messageId: String(first + index),
      replyTarget: undefined,
      place: { chatId: id, chatType: "dm", threadId: undefined },
      sender: { id, alternateId: undefined, name: id },
      text: "hello",
      isAddressed: true,
      media: [],
      replyTo: undefined,
      sentAt: undefined,
    };
  });

const click = (id: string): ReceivedEvent => ({
  kind: "click",
  id,
  place: { chatId: "1", chatType: "dm", threadId: undefined },
  sender: { id: "1", alternateId: undefined, name: "Ada" },
  data: "",
  messageId: "1",
  confirmation: undefined,
});

const REFUSED = { code: "rate_limited", retryAfterSeconds: 1 };
const sessionsIn = ({ payload }: QueueMessage) => eventsReceived.message.parse(payload).sessions;

describe.each(some(PLATFORMS, 2))("a webhook of %s", (platform) => {
  it("has one hundred events of a delivery taken, and the next hundred when it is sent again", async () => {
    const inbox = await newInbox(platform);
    const sent = messages(250);
    for (const taken of [100, 200]) {
      expect(await inbox.call(sent)).toMatchObject(REFUSED);
      expect(await inbox.stored()).toBe(taken);
    }
    expect(await inbox.call(sent)).toBeUndefined();
    expect(await inbox.call(sent)).toBeUndefined();
    expect(await inbox.stored()).toBe(250);
    // One message of the queue for each batch; nothing of it is anybody else's share.
    expect(inbox.published).toHaveLength(4);
    for (const message of inbox.published) {
      expect(message.shareOf).toBe(inbox.channel.userId);
      expect(sessionsIn(message)).toHaveLength(100);
    }
    const named = inbox.published.slice(0, 3).flatMap((message) => sessionsIn(message).slice(0, 100));
    expect(new Set(named.map((session) => JSON.stringify(session))).size).toBe(250);
  });
});

describe.each(PLATFORMS)("a webhook of %s", (platform) => {
  it("tells the owner of what is not sent again", async () => {
    const inbox = await newInbox(platform, limitsAt({ now: 0 }, { channel: 1, owner: 0 }));
    await inbox.call(messages(1));
    const refused = [...messages(1, 1), click("click")];
    const isSentAgain = refused.every((event) => adapters[platform].sendsAgain(event));
    expect(await inbox.call(refused)).toMatchObject({ code: "rate_limited", retryAfterSeconds: 60 });
    const note = await inbox.note();
    expect(note?.includes("dropped") ?? false).toBe(!isSentAgain);
  });
});

/** Has a connection bring these events at once, and returns what the owner was told meanwhile. */
async function bring(inbox: Awaited<ReturnType<typeof newInbox>>, events: readonly ReceivedEvent[]) {
  const notes: (string | null)[] = [];
  let confirmed = -1;
  const attempt = new Attempt({
    services: inbox.deps,
    connect: async (_account, keeper) => {
      await keeper.receive(events);
      confirmed = await inbox.stored();
    },
    generation: 1,
    channel: inbox.channel,
    memory: { read: () => undefined, write: () => {} },
    onConnected: () => {},
    onPace: (note) => void notes.push(note),
  });
  await attempt.run();
  return { notes, confirmed };
}

const connected = PLATFORMS.filter((platform) => connections[platform] !== undefined);

describe.each(some(connected, 2))("a connection to %s", (platform) => {
  it("takes all that was sent, a hundred at a time, before it confirms", async () => {
    const inbox = await newInbox(platform);
    expect(await bring(inbox, messages(250))).toEqual({ notes: [null], confirmed: 250 });
    expect(inbox.published.map((message) => sessionsIn(message).length)).toEqual([100, 100, 50]);
  });

  it("reads on when the limits have room again, and tells the owner", async () => {
    const asked: number[] = [];
    const inbox = await newInbox(platform, {
      takeEvents: async (_, wanted) => {
        asked.push(wanted);
        return { taken: asked.length % 2 === 1 ? 40 : 0, retryAfterSeconds: 0.001 };
      },
    });
    const { notes, confirmed } = await bring(inbox, messages(80));
    expect(confirmed).toBe(80);
    expect(asked).toEqual([80, 40, 40]);
    expect(notes.at(0)).toContain("More messages arrive");
    expect(notes.at(-1)).toBeNull();
  });
});

describe("the limits", () => {
  it("are not used up by receipts, and not by what people of a group tell each other", async () => {
    const inbox = await newInbox("whatsapp", limitsAt({ now: 0 }, { channel: 1, owner: 0 }));
    const receipts = Array.from({ length: 500 }, (_, index): ReceivedEvent => ({
      kind: "status",
      messageId: String(index),
      status: "delivered",
      error: undefined,
    }));
    const [greeting] = messages(1);
    if (greeting?.kind !== "message") throw new Error("No message");
    const place = { chatId: "1", chatType: "group", threadId: undefined } as const;
    expect(await inbox.call(receipts)).toBeUndefined();
    expect(await inbox.call([{ ...greeting, place, isAddressed: false }])).toBeUndefined();
    expect(await inbox.call([greeting])).toBeUndefined();
    expect(await inbox.stored()).toBe(1);
  });

  it("hold for reports of failures, which one statement stores however many there are", async () => {
    const inbox = await newInbox("whatsapp", limitsAt({ now: 0 }, { channel: 1, owner: 0 }));
    const { channel } = inbox;
    const ids = ["a", "b"];
    await database.db.insert(channelMessages).values(
      ids.map((platformMessageId) => ({
        id: newId(),
        channelConfigId: channel.id,
        direction: "outbound" as const,
        jid: "whatsapp:1",
        content: "Hello",
        status: "delivered" as const,
        platformMessageId,
      })),
    );
    const failures = ids.map((messageId): ReceivedEvent => ({
      kind: "status",
      messageId,
      status: "failed",
      error: `Not to ${messageId}.`,
    }));
    let statements = 0;
    const db = new Proxy(database.db, {
      get(target, name) {
        statements += name === "execute" || name === "update" ? 1 : 0;
        return Reflect.get(target, name, target);
      },
    });
    expect(await receiveEvents({ ...inbox.deps, db }, channel, failures)).toBeUndefined();
    expect(statements).toBe(1);
    expect(await receiveEvents(inbox.deps, channel, failures)).toMatchObject({ retryAfterSeconds: 60 });
    const ofChannel = eq(channelMessages.channelConfigId, channel.id);
    const rows = await database.db.select().from(channelMessages).where(ofChannel);
    expect(rows.map(({ status, error }) => `${status}: ${error}`).toSorted()).toEqual([
      "failed: Not to a.",
      "failed: Not to b.",
    ]);
  });
});
