import { Client } from "@upstash/qstash";
import { count, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { channelEvents } from "#src/db/schema/index.ts";
import {
  botAtDiscord,
  botAtSignal,
  botAtSlack,
  botAtWhatsapp,
  type ChannelThere,
  type ChatThere,
  codeIn,
  newChannelThere,
  type PersonThere,
  told,
} from "#test/support/at-platforms.ts";
import { PATIENCE } from "#test/support/connected-channels.ts";
import { databaseOf } from "#test/support/database.ts";
import { type DiscordMock, startDiscord } from "#test/support/platforms/discord.ts";
import { type SignalBridge, startSignalBridge } from "#test/support/platforms/signal.ts";
import { type SlackMock, type SlackUser, startSlack } from "#test/support/platforms/slack.ts";
import { startWhatsapp, type Whatsapp } from "#test/support/platforms/whatsapp.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { call, script } from "#test/support/task-client.ts";

let slack: SlackMock;
let discord: DiscordMock;
let whatsapp: Whatsapp;
let signal: SignalBridge;
let service: TestService;
beforeAll(async () => {
  [slack, discord, whatsapp, signal] = await Promise.all([
    startSlack(),
    startDiscord(),
    startWhatsapp(),
    startSignalBridge(),
  ]);
  service = await startService({
    SLACK_API_BASE_URL: slack.url,
    DISCORD_API_BASE_URL: discord.url,
    WHATSAPP_API_BASE_URL: whatsapp.url,
    OUTBOUND_ALLOW_PRIVATE: "true",
  });
});
afterAll(async () => {
  await service.close();
  await Promise.all([slack, discord, whatsapp, signal].map((each) => each.close()));
});

/** A picture of one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const CODE = /\b[A-HJ-NP-Z2-9]{8}\b/u;
const says = (text: string) => script({ text });
const soon = (check: () => void | Promise<void>) => vi.waitFor(check, PATIENCE);
const writes = (path: string, text: string) =>
  script({ tools: [call("write_file", { path, content: "yes" })] }, { text });

function groupOf({ group }: PersonThere): ChatThere {
  if (!group) throw new Error("The platform has no groups");
  return group();
}

/** A business at WhatsApp is in no groups. */
describe.each([
  { name: "Slack", botOf: () => botAtSlack(slack), groups: ["a group"] },
  { name: "Discord", botOf: () => botAtDiscord(discord), groups: ["a group"] },
  { name: "WhatsApp", botOf: () => botAtWhatsapp(whatsapp), groups: [] },
  { name: "Signal", botOf: () => botAtSignal(signal), groups: ["a group"] },
])("a channel at $name", ({ botOf, groups }) => {
  let there: ChannelThere;
  beforeAll(async () => {
    there = await newChannelThere(service, botOf());
  });

  /** What the channel's history has of texts with this in them: directions and outcomes, oldest first. */
  const history = async (part: string) =>
    (await there.messages())
      .filter(({ content }) => content.includes(part))
      .map(({ direction, status }) => `${direction} ${status}`);

  it("gives a stranger a code in private, and then answers of the agent, whole and in order", async () => {
    const { dm } = there.bot.newPerson();
    await dm.say(says("Never run."));
    const code = await codeIn(dm);
    expect(await there.verify(code)).toBe(200);
    await told(dm, "Your account is linked.");
    await dm.say(says("You are known now."));
    await told(dm, "You are known now.");
    expect(dm.shown().join()).not.toContain("Never run.");
    const before = dm.shown().length;
    const lines = Array.from({ length: 110 }, (_, index) => `const value${index} = "${"x".repeat(30)}";`);
    await dm.say(says(`Here:\n\n~~~js\n${lines.join("\n")}\n~~~\n\nThe end.`));
    await told(dm, "The end.");
    const texts = dm.shown().slice(before);
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.join("\n").match(/const value\d+ = "x{30}";/gu)).toEqual(lines);
    expect(await history(code)).toEqual([]);
    expect(await history("Never run.")).toEqual([]);
    await soon(async () =>
      expect(await history("You are known now.")).toEqual(["inbound delivered", "outbound delivered"]),
    );
  });

  it.each(groups)("keeps codes out of %s, and replies there in the thread of the question", async () => {
    const stranger = groupOf(there.bot.newPerson());
    await stranger.say("hello");
    await told(stranger, "in private");
    expect(stranger.shown()).toHaveLength(1);
    expect(stranger.shown().join()).not.toMatch(/\b[A-HJ-NP-Z2-9]{8}\b/u);

    const person = await there.paired();
    const chats = [groupOf(person), groupOf(person)];
    await Promise.all(chats.map((chat, index) => chat.say(says(`To thread ${index}.`))));
    for (const [index, chat] of chats.entries()) {
      await told(chat, `To thread ${index}.`);
      expect(chat.shown()).toHaveLength(1);
    }
    expect(person.dm.shown().join()).not.toContain("To thread");
  });

  it("asks one person before a call, and works for another meanwhile", async () => {
    const [asked, other] = await Promise.all([there.paired(), there.paired()]);
    const path = `${there.bot.platform}.txt`;
    await asked.dm.say(writes(path, "Written."));
    await told(asked.dm, "May the agent use");
    await other.dm.say(says("Not kept waiting."));
    await told(other.dm, "Not kept waiting.");
    const file = `/api/projects/${there.client.projectId}/files/${path}`;
    const { token } = there.client.account;
    expect((await service.call("GET", file, { token })).status).toBe(404);
    await asked.dm.allow();
    await told(asked.dm, "Written.");
    expect((await service.call("GET", file, { token })).status).toBe(200);
    expect(other.dm.shown().join()).not.toContain("Written.");
  });

  it("takes voice and pictures, and sends the files that a reply links to", async () => {
    const { dm } = await there.paired();
    const voice = { filename: "voice.ogg", mimeType: "audio/ogg", bytes: Buffer.from(says("I heard you.")) };
    await dm.send(voice);
    await told(dm, "I heard you.");
    const picture = { filename: "pixel.png", mimeType: "image/png", bytes: Buffer.from(PIXEL, "base64") };
    await dm.send(picture, says("Pictures: {pictures}."));
    await told(dm, "Pictures: 1.");
    const { account, projectId } = there.client;
    await service.call("PUT", `/api/projects/${projectId}/files/chart.png`, {
      token: account.token,
      json: { content: PIXEL, encoding: "base64" },
    });
    await dm.say(says("Here: ![chart](chart.png)."));
    await soon(() => expect(dm.files()).toHaveLength(1));
    expect(dm.files()[0]).toMatchObject({ bytes: picture.bytes });
  });
});

/** The status of a request to a webhook, with these headers. */
async function post(url: URL, headers: Record<string, string>): Promise<number> {
  return (await fetch(url, { method: "POST", headers, body: '{"type":1}' })).status;
}

describe("a request to a webhook", () => {
  it.each([
    ["slack", () => botAtSlack(slack), () => slack.signed("{}")],
    ["discord", () => atEndpoint(), () => discord.signed("{}")],
    ["whatsapp", () => botAtWhatsapp(whatsapp), () => whatsapp.request({}).headers],
  ])("of %s that is not signed, or signed for another body, is refused", async (_, botOf, headersOf) => {
    const { channel } = await newChannelThere(service, botOf());
    const address = new URL(channel.webhook_url ?? "");
    expect(await post(address, {})).toBe(401);
    // A browser that is signed in has no more rights here, and needs no token against forged requests.
    expect(await post(address, { cookie: "session=none" })).toBe(401);
    expect(await post(address, headersOf())).toBe(401);
    address.searchParams.set("secret", "0".repeat(64));
    expect(await post(address, headersOf())).toBe(401);
    address.searchParams.delete("secret");
    expect(await post(address, {})).toBe(401);
  });
});

/** Links a person of the workspace to an account, and returns the id of the private chat. */
async function linkedAtSlack(there: ChannelThere, author: SlackUser, token?: string): Promise<string> {
  const channelId = author.id.replace(/^U/u, "D");
  const shown = () => slack.sent(channelId).map(({ text }) => text);
  await slack.say({ channelId, text: "hello", author });
  expect(await there.verify(await codeIn({ shown }), token)).toBe(200);
  await told({ shown }, "Your account is linked.");
  return channelId;
}

describe("Slack", () => {
  it("channel of somebody else does not know who is linked in this one, whatever its owner says who wrote", async () => {
    const there = await newChannelThere(service, botAtSlack(slack));
    const person = await there.paired();
    const { email } = there.client.account;
    await person.dm.say("/whoami");
    await told(person.dm, email);
    const heard = () => person.dm.shown().filter((text) => CODE.test(text)).length;
    expect(heard()).toBe(1);
    // The second owner signs with the same secrets, as one who forges what a platform sends can.
    const forger = await newChannelThere(service, there.bot);
    await person.dm.say("/whoami");
    await soon(() => expect(heard()).toBe(2));
    expect(person.dm.shown().filter((text) => text.includes(email))).toHaveLength(1);
    expect(await forger.messages()).toEqual([]);
  });

  it("has commands answered where they were written", async () => {
    const there = await newChannelThere(service, botAtSlack(slack));
    const author = slack.person("commander");
    await linkedAtSlack(there, author);
    const channelId = "C0COMMANDS";
    const texts = () => slack.sent(channelId).map(({ text }) => text);
    const command = (name: string, text: string) => slack.command(channelId, name, text, author);
    expect(await command("/agent", says("To the command."))).toMatchObject({ status: 200 });
    await soon(() => expect(texts()).toEqual(["To the command."]));
    expect(await command("/whoami", "")).toMatchObject({ status: 200 });
    await soon(() => expect(texts().at(-1)).toContain(there.client.account.email));
  });

  it("lets no one without rights press a button, and leaves it to the others", async () => {
    const there = await newChannelThere(service, botAtSlack(slack));
    const channelId = "C0BUTTONS";
    const [asker, foreigner] = [slack.person("asker"), slack.person("foreigner")];
    await linkedAtSlack(there, asker);
    await linkedAtSlack(there, foreigner, (await service.signUp()).token);
    const text = `<@${slack.bot.id}> ${writes("pressed.txt", "Written.")}`;
    const { ts } = await slack.say({ channelId, text, author: asker });
    const inThread = () => slack.sent(channelId, ts);
    const card = await vi.waitUntil(() => inThread().find(({ blocks }) => blocks.length > 1), PATIENCE);
    const button = card.blocks.flatMap(({ elements = [] }) => elements)[0]?.value ?? "";
    for (const by of [slack.person("stranger"), foreigner]) await slack.press(card, button, by);
    await soon(() => expect(inThread().filter(({ isEphemeral }) => isEphemeral)).toHaveLength(2));
    expect(inThread().map((each) => each.text)).not.toContain("Written.");
    await slack.press(card, button, asker);
    await soon(() => expect(inThread().map((each) => each.text)).toContain("Written."));
  });

  it("has messages over the socket answered as well", async () => {
    const there = await newChannelThere(service, {
      ...botAtSlack(slack),
      wish: { credentials: slack.credentials, inbound_mode: "connection" },
      async connect() {
        slack.webhookUrl = undefined;
        await soon(() => expect(slack.listening).toBe(1));
      },
    });
    const { dm } = await there.paired();
    await dm.say(writes("socket.txt", "By the socket."));
    await told(dm, "May the agent use");
    await dm.allow();
    expect(await told(dm, "By the socket.")).toBe("By the socket.");
  });
});

/** Discord, which hands commands and clicks to the webhook. */
const atEndpoint = () => ({
  ...botAtDiscord(discord),
  wish: { credentials: discord.credentials, inbound_mode: "webhook" as const },
  connect(channel: { webhook_url: string | null }) {
    discord.interactionsUrl = channel.webhook_url ?? undefined;
    return Promise.resolve();
  },
});

describe("Discord", () => {
  it("has commands answered in the message that it was promised, also while the bot is connected", async () => {
    const there = await newChannelThere(service, atEndpoint());
    const by = discord.person("commander");
    const place = discord.directChannel(by);
    const texts = () => discord.sent(place).map(({ content }) => content);
    const ask = async (text: string) => {
      const options = [{ name: "text", type: 3, value: text }];
      const { response } = await discord.command(place, "ask", options, by);
      expect(response).toEqual({ status: 200, body: { type: 5 } });
    };
    await ask("hello");
    expect(await there.verify(await codeIn({ shown: texts }))).toBe(200);
    await ask(writes("command.txt", "By the command."));
    const card = await vi.waitUntil(
      () => discord.sent(place).find(({ components }) => components.length > 0),
      PATIENCE,
    );
    const button = card.components.flatMap(({ components }) => components)[0]?.custom_id ?? "";
    const { response } = await discord.press(card.id, button, by);
    expect(response).toEqual({ status: 200, body: { type: 6 } });
    await soon(() => expect(texts()).toContain("By the command."));
    const edited = discord.sent(place).filter(({ edits }) => edits > 0);
    expect(edited.map(({ content }) => content)).toContain("By the command.");
    expect(discord.sent(place).flatMap(({ pings }) => pings)).toEqual([]);
    discord.interactionsUrl = undefined;
  });
});

describe("WhatsApp", () => {
  it("may send many messages in one request, and may send it again", async () => {
    const there = await newChannelThere(service, botAtWhatsapp(whatsapp));
    const url = there.channel.webhook_url ?? "";
    const people = ["4915990001", "4915990002"].map((number) => whatsapp.newPerson("Ann", { number }));
    const hidden = whatsapp.newPerson("Bo");
    const textsTo = (to: string) => whatsapp.sent.filter((each) => each.to === to).map(({ text }) => text);
    const ids = [...people, hidden].map(({ number, userId }) => number ?? userId);
    const senders = [...people, hidden];
    await whatsapp.deliver(url, { messages: senders.map((each) => whatsapp.write(each, { text: "hello" })) });
    for (const id of ids) {
      expect(await there.verify(await codeIn({ shown: () => textsTo(id) }))).toBe(200);
    }
    const batch = {
      messages: senders.map((each, index) => whatsapp.write(each, { text: says(`Reply ${index}.`) })),
    };
    for (const _ of [1, 2]) expect((await whatsapp.deliver(url, batch)).status).toBe(200);
    for (const [index, id] of ids.entries()) {
      await soon(() => expect(textsTo(id)).toContain(`Reply ${index}.`));
    }
    const rows = (await there.messages()).filter(({ content }) => content.includes("Reply "));
    expect(rows.map(({ direction }) => direction).toSorted()).toEqual([
      ...Array.from({ length: 3 }, () => "inbound"),
      ...Array.from({ length: 3 }, () => "outbound"),
    ]);
    expect(whatsapp.lost).toEqual([]);
  });

  it("may tell later that a message was not delivered, which the history shows", async () => {
    const there = await newChannelThere(service, botAtWhatsapp(whatsapp));
    const { dm } = await there.paired();
    await dm.say(says("Too late."));
    await told(dm, "Too late.");
    const id = whatsapp.sent.find(({ text }) => text === "Too late.")?.id ?? "";
    const reply = async () =>
      (await there.messages()).find(
        ({ direction, content }) => direction === "outbound" && content === "Too late.",
      );
    await soon(async () => expect(await reply()).toMatchObject({ status: "delivered" }));
    const statuses = [{ id, status: "failed", error: 131_047 } as const];
    expect((await whatsapp.deliver(there.channel.webhook_url ?? "", { statuses })).status).toBe(200);
    expect(await reply()).toMatchObject({ status: "failed", error: expect.stringMatching(/24 hours/u) });
  });

  it("has a hundred of a flood of messages taken, the next when they come again, and keeps no one else waiting", async () => {
    const [busy, quiet] = [
      await newChannelThere(service, botAtWhatsapp(whatsapp)),
      await newChannelThere(service, botAtWhatsapp(whatsapp)),
    ];
    const { dm } = await quiet.paired();
    const messages = Array.from({ length: 1_000 }, (_, index) =>
      whatsapp.write(whatsapp.newPerson("Ann", { number: `49159${100_000 + index}` }), { text: "hello" }),
    );
    const { variables } = service.stack;
    const queue = new Client({
      baseUrl: variables["QSTASH_URL"] ?? "",
      token: variables["QSTASH_TOKEN"] ?? "",
      devMode: false,
    });
    const { id: ownerId } = busy.client.account;
    const ofChannel = eq(channelEvents.channelConfigId, busy.channel.id);
    for (const [index, taken] of [100, 200].entries()) {
      const { status, headers } = await whatsapp.deliver(busy.channel.webhook_url ?? "", { messages });
      expect(status).toBe(429);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      const [stored] = await databaseOf(service)
        .select({ events: count() })
        .from(channelEvents)
        .where(ofChannel);
      expect(stored?.events).toBe(taken);
      // One message of the queue for each batch.
      const { waitListSize, parallelismCount } = await queue.flowControl.get(`receive-message.${ownerId}`);
      expect(waitListSize + parallelismCount).toBeLessThanOrEqual(index + 1);
    }
    await dm.say(says("Not kept waiting."));
    await told(dm, "Not kept waiting.");
  });
});
