import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
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
import { startDiscord } from "#test/support/platforms/discord.ts";
import { startSignalBridge } from "#test/support/platforms/signal.ts";
import { type SlackUser, startSlack } from "#test/support/platforms/slack.ts";
import { startWhatsapp } from "#test/support/platforms/whatsapp.ts";
import { startService } from "#test/support/service.ts";
import { call, script } from "#test/support/task-client.ts";

const [slack, discord, whatsapp, signal] = await Promise.all([
  startSlack(),
  startDiscord(),
  startWhatsapp(),
  startSignalBridge(),
]);
const service = await startService({
  SLACK_API_BASE_URL: slack.url,
  DISCORD_API_BASE_URL: discord.url,
  WHATSAPP_API_BASE_URL: whatsapp.url,
  OUTBOUND_ALLOW_PRIVATE: "true",
});
afterAll(async () => {
  await service.close();
  await Promise.all([slack, discord, whatsapp, signal].map((each) => each.close()));
});
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

  it("gives a stranger a code in private, and then answers of the agent", async () => {
    const { dm } = there.bot.newPerson();
    await dm.say(says("Never run."));
    const code = await codeIn(dm);
    expect(await there.verify(code)).toBe(200);
    await told(dm, "Your account is linked.");
    await dm.say(says("You are known now."));
    await told(dm, "You are known now.");
    expect(dm.shown().join()).not.toContain("Never run.");
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

it("Discord has commands answered in the message that it was promised, also while the bot is connected", async () => {
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

it("WhatsApp may tell later that a message was not delivered, which the history shows", async () => {
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
