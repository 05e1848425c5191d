import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { channelConfigs, channelMessages, platformIdentities } from "#src/db/schema/index.ts";
import { countMessage, replyForTask, sendForTask } from "#src/domain/messaging/agent-messages/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { RateDecision } from "#src/platform/objects/rate-counts.ts";
import { newApiKey } from "#test/domain/programs/support/new-api-key.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";
import { ListeningPlatform, PlatformRows } from "./support/people-of-platforms.ts";

const database = await fileDatabase();
const rows = new PlatformRows(database.db);
let platform: ListeningPlatform;
beforeEach(() => {
  platform = new ListeningPlatform();
});

type Task = Parameters<typeof sendForTask>[1];
type Input = Partial<Parameters<typeof sendForTask>[2]>;

let calls = 0;
const send = (task: Task, input: Input = {}, deps = platform.deps(database.db)) =>
  sendForTask(deps, task, {
    platform: "telegram",
    target: undefined,
    text: "The **beds** are done",
    files: [],
    callId: `1:call_${(calls += 1)}`,
    ...input,
  });

const refusal = async (task: Task, input: Input = {}) => {
  const { code, message } = await send(task, input).then(
    () => ({ code: "none", message: "It was sent" }),
    (error: { code: string; message: string }) => error,
  );
  return `${code}: ${message}`;
};

const stored = (taskId: string) =>
  database.db.select().from(channelMessages).where(eq(channelMessages.taskId, taskId));

/** The channel that a task's message goes through. */
async function channelOf(task: Task, target?: string) {
  await send(task, { target });
  return (await stored(task.id))[0]?.channelConfigId;
}

/** What a channel once said in a chat. */
const exchange = (channelConfigId: string, jid: string, occasion: string | null = null) =>
  database.db.insert(channelMessages).values({
    id: newId(),
    channelConfigId,
    jid,
    occasion,
    direction: "outbound",
    content: "Earlier",
    status: "delivered",
  });

/** A person with a channel and an account in it, and a task. */
async function ready() {
  const person = await rows.person();
  const channel = await rows.channel(person);
  const own = await rows.identity(person);
  return { person, channel, own, task: await rows.task(person) };
}

describe("an agent's message to a platform", () => {
  it("goes to the person's private chat, and is a message of the channel", async () => {
    const { channel, own, task } = await ready();
    expect(await send(task)).toEqual({
      platform: "telegram",
      label: "Telegram",
      status: "sent",
      chatId: `dm-${own}`,
      platformMessageId: "m1",
    });
    expect(platform.opened).toEqual([own]);
    expect(platform.sent).toMatchObject([{ text: { markup: "The <b>beds</b> are done" } }]);
    expect(await stored(task.id)).toMatchObject([
      {
        channelConfigId: channel.id,
        direction: "outbound",
        jid: `telegram:dm-${own}`,
        content: "The **beds** are done",
        platformMessageId: "m1",
        status: "delivered",
      },
    ]);
  });

  it("goes to the person's home, in its thread, when there is one", async () => {
    const person = await rows.person();
    const [, second] = [await rows.channel(person), await rows.channel(person)];
    await rows.session(person, second, { chatId: "-100", chatType: "group", threadId: "7" });
    const home = { homeChannelConfigId: second.id, homeChatId: "-100", homeThreadId: "7" };
    await rows.identity(person, { home });
    expect(await send(await rows.task(person))).toMatchObject({ status: "sent", chatId: "-100" });
    expect(platform.sent).toMatchObject([{ place: { chatId: "-100", chatType: "group", threadId: "7" } }]);
    expect(platform.opened).toEqual([]);
  });

  it("prefers the channel that the task came from, then one of its project, then the oldest; a bot that the person has written to before others", async () => {
    const person = await rows.person();
    const oldest = await rows.channel(person, { createdAt: new Date(0) });
    const ofProject = await rows.channel(person, { projectId: person.projectId });
    const origin = await rows.channel(person);
    const own = await rows.identity(person);
    const sessionId = await rows.session(person, origin, { chatId: "-5", chatType: "group", senderId: own });
    const elsewhere = { ...person, projectId: await rows.project(person) };
    expect(await channelOf(await rows.task(person, { sessionId }), own)).toBe(origin.id);
    expect(await channelOf(await rows.task(person), own)).toBe(ofProject.id);
    expect(await channelOf(await rows.task(elsewhere), own)).toBe(oldest.id);
    await rows.session(person, origin, { chatId: own });
    expect(await channelOf(await rows.task(person))).toBe(origin.id);
  });

  it("goes to chats that the channel has exchanged messages with", async () => {
    const { person, channel, task } = await ready();
    await rows.session(person, channel, { chatId: "-100", chatType: "group", threadId: "7" });
    await rows.session(await rows.person(), channel, { chatId: "D9", senderId: "900" });
    await exchange(channel.id, "telegram:-300");
    for (const target of ["-100", "-100:7", "telegram:-100", "900", "-300"]) await send(task, { target });
    expect(platform.sent.map(({ place }) => [place.chatId, place.threadId])).toEqual([
      ["-100", undefined],
      ["-100", "7"],
      ["-100", undefined],
      ["D9", undefined],
      ["-300", undefined],
    ]);
  });

  it("goes to no chat of a link that was removed, also through an own channel", async () => {
    const { person, channel, own, task } = await ready();
    await rows.session(person, channel, { chatId: own });
    await database.db.delete(platformIdentities).where(eq(platformIdentities.userId, person.id));
    await exchange(channel.id, `telegram:${own}`);
    expect(await refusal(task, { target: own })).toMatch(/^forbidden/u);
  });

  it("goes nowhere else", async () => {
    const [{ task }, other] = [await ready(), await ready()];
    await rows.session(other.person, other.channel, { chatId: "-777", chatType: "group" });
    for (const target of ["12345", "-777", other.own, "@everyone", ""]) {
      expect(await refusal(task, { target })).toMatch(/^forbidden: The Telegram channel may not write to /u);
    }
    expect(platform.sent).toEqual([]);
    expect(await stored(task.id)).toEqual([]);
  });

  it("goes to no group of a channel of another project, and to no chat that a stranger chose", async () => {
    const { person, channel, task } = await ready();
    const elsewhere = await rows.project(person);
    const other = await rows.channel(person, { projectId: elsewhere });
    await rows.identity(person, { channelConfigId: other.id });
    await rows.session(person, other, { chatId: "-100", chatType: "group" });
    await exchange(channel.id, "telegram:-200", "hint:1");
    await exchange(other.id, "telegram:-300");
    for (const target of ["-100", "-200", "-300"]) {
      expect(await refusal(task, { target })).toMatch(/^forbidden/u);
    }
    const there = await rows.task({ ...person, projectId: elsewhere });
    for (const target of ["-100", "-300"]) {
      expect(await send(there, { target })).toMatchObject({ status: "sent" });
    }
  });

  it("reaches through another person's channel only the user's own chats", async () => {
    const [owner, guest] = [await rows.person(), await rows.person()];
    const inside = await rows.join(guest, owner.projectId);
    const channel = await rows.channel(owner, { projectId: owner.projectId });
    const own = await rows.identity(guest, { channelConfigId: channel.id });
    await rows.session(owner, channel, { chatId: "-100", chatType: "group" });
    const sessionId = await rows.session(guest, channel, { chatId: own });
    const task = await rows.task(inside, { sessionId });
    expect(await send(task)).toMatchObject({ status: "sent", chatId: `dm-${own}` });
    expect(await refusal(task, { target: "-100" })).toMatch(/^forbidden/u);
    // The word of its owner has no rights on the guest's own bots.
    const bot = await rows.channel(guest);
    await rows.identity(guest, { channelConfigId: bot.id });
    await rows.session(guest, bot, { chatId: "-300", chatType: "group" });
    expect(await refusal(task, { target: "-300" })).toMatch(/^forbidden/u);
    await database.db.update(channelConfigs).set({ isActive: false }).where(eq(channelConfigs.id, bot.id));
    // A task that did not come from there has no channel at all, and neither has one about another project.
    expect(await refusal(await rows.task(inside))).toMatch(/^not_found/u);
    expect(await refusal(await rows.task(guest, { sessionId }))).toMatch(/^not_found/u);
  });

  it("of a key that is bound to projects goes through their channels alone", async () => {
    const { person } = await ready();
    const { key } = await newApiKey(database.db, person, { projectIds: [person.projectId] });
    const task = await rows.task(person, { apiKeyId: key.id });
    expect(await refusal(task)).toMatch(/^not_found/u);
    const bound = await rows.channel(person, { projectId: person.projectId });
    await rows.identity(person, { channelConfigId: bound.id });
    expect(await send(task)).toMatchObject({ status: "sent" });
  });

  it("says what is missing, and where to connect it", async () => {
    const person = await rows.person();
    const task = await rows.task(person);
    await rows.channel(person, { isActive: false });
    expect(await refusal(task)).toBe(
      "not_found: No Telegram channel is connected. A person connects one under Settings → Channels",
    );
    await rows.channel(person);
    expect(await refusal(task)).toMatch(/^not_found: No Telegram account of the person is linked/u);
  });

  it("takes the spellings of people and phone numbers", async () => {
    const person = await rows.person();
    const task = await rows.task(person);
    for (const [name, platformUserId, target] of [
      ["slack", "T1:U7", "U7"],
      ["whatsapp", "4915112345678", "+49 151 12345678"],
    ] as const) {
      await rows.channel(person, { channelType: name });
      await rows.identity(person, { platform: name, platformUserId });
      await send(task, { platform: name, target });
      expect(platform.opened.at(-1)).toBe(platformUserId);
    }
  });

  it("goes to the person's own terminal, of the task's project or of none", async () => {
    const [person, other] = [await rows.person(), await rows.person()];
    await rows.channel(person, { channelType: "cli", projectId: await rows.project(person) });
    const task = await rows.task(person);
    expect(await refusal(task, { platform: "cli" })).toMatch(/^not_found/u);
    await rows.channel(person, { channelType: "cli", projectId: person.projectId });
    expect(await send(task, { platform: "cli" })).toMatchObject({ status: "sent", chatId: person.id });
    expect(platform.sent).toMatchObject([{ place: { chatId: person.id, threadId: person.projectId } }]);
    expect(await refusal(task, { platform: "cli", target: other.id })).toMatch(/^forbidden/u);
  });
});

describe("the outcome of an agent's message", () => {
  it.each([
    ["failed", new PlatformFailure("refused", "The bot was blocked by the person."), []],
    [
      "queued",
      new PlatformFailure("busy", "Telegram asks for patience.", { retryAfterSeconds: 900 }),
      [{ function: "deliver-outbox-message" }],
    ],
  ])("is %s, with the platform's reason, after %s", async (status, failure, published) => {
    const { task } = await ready();
    platform.failure = failure;
    expect(await send(task)).toMatchObject({ status, reason: failure.message });
    expect(platform.published).toMatchObject(published);
  });

  it("is the first one's for a call that is repeated, which sends nothing", async () => {
    const { task } = await ready();
    const first = await send(task, { callId: "1:call" });
    expect(await send(task, { callId: "1:call" })).toEqual(first);
    expect(platform.sent).toHaveLength(1);
    await send(task, { callId: "2:call" });
    expect(platform.sent).toHaveLength(2);
  });

  it("is a failure of the platform that does not tell where the person is", async () => {
    const { task } = await ready();
    const { channels, ...deps } = platform.deps(database.db);
    const failure = new PlatformFailure("refused", "There is no such person.");
    const directPlace = () => Promise.reject(failure);
    const telegram = { ...channels.telegram, api: () => ({ ...platform.api(), directPlace }) };
    const outcome = await send(task, {}, { ...deps, channels: { ...channels, telegram } });
    expect(outcome).toMatchObject({ status: "failed", reason: "There is no such person." });
    expect(platform.sent).toEqual([]);
  });
});

it("files of an agent's message are stored after it, and refused with it when the project has none such", async () => {
  const { task } = await ready();
  expect(await refusal(task, { files: ["out/plan.pdf", "missing.pdf"] })).toBe(
    "invalid_input: The project has no file missing.pdf that this task may read",
  );
  expect(await stored(task.id)).toEqual([]);
  await send(task, { files: ["out/plan.pdf", "beds.csv"] });
  expect((await stored(task.id)).map(({ kind, content }) => `${kind} ${content}`).toSorted()).toEqual([
    "artifact beds.csv",
    "artifact out/plan.pdf",
    "message The **beds** are done",
  ]);
});

it("a reply of an agent at work goes to where the task came from, in its thread, and nowhere without that", async () => {
  const reply = (task: Task) =>
    replyForTask(platform.deps(database.db), task, { text: "Soon", files: [], callId: "1:c" });
  const [owner, guest] = [await rows.person(), await rows.person()];
  const channel = await rows.channel(owner, { projectId: owner.projectId });
  await rows.identity(guest, { channelConfigId: channel.id });
  const sessionId = await rows.session(guest, channel, { chatId: "-1", chatType: "group", threadId: "8" });
  const task = await rows.task(await rows.join(guest, owner.projectId), { sessionId, replyTo: "55" });
  expect(await reply(task)).toMatchObject({ status: "sent", chatId: "-1" });
  expect(platform.sent).toMatchObject([
    { place: { chatId: "-1", chatType: "group", threadId: "8" }, replyTo: "55" },
  ]);
  await expect(reply(await rows.task(owner))).rejects.toMatchObject({ code: "not_found" });
});

it("limits the messages of a task", async () => {
  const taken: unknown[] = [];
  const take = async (...args: unknown[]): Promise<RateDecision> => {
    taken.push(args);
    return { allowed: false, limit: 20, remaining: 0, resetSeconds: 7, retryAfterSeconds: 7 };
  };
  await expect(countMessage(partOf({ rateLimits: { take } }), { id: "t1" })).rejects.toMatchObject({
    code: "rate_limited",
    message: expect.stringContaining("7 seconds"),
  });
  expect(taken).toEqual([["send", "t1"]]);
});
