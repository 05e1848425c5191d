import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { channelConfigs, channelMessages, platformIdentities } from "#src/db/schema/index.ts";
import { countMessage, replyForTask, sendForTask } from "#src/domain/messaging/agent-messages/index.ts";
import { createApiKey } from "#src/domain/organisations/api-keys/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { RateDecision } from "#src/platform/objects/rate-limits.ts";
import { openDatabase } from "#test/support/database.ts";
import { CLIENT, sessionDeps } from "#test/support/people.ts";
import { partOf } from "#test/support/part-of.ts";
import { ListeningPlatform, PlatformRows } from "./support/people-of-platforms.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let rows: PlatformRows;
let platform: ListeningPlatform;
beforeAll(async () => {
  database = await openDatabase();
  rows = new PlatformRows(database.db);
});
beforeEach(() => {
  platform = new ListeningPlatform();
});
afterAll(() => database.close());

type Task = Parameters<typeof sendForTask>[1];
type Wish = Partial<Parameters<typeof sendForTask>[2]>;

const send = (task: Task, wish: Wish = {}, deps = platform.deps(database.db)) =>
  sendForTask(deps, task, {
    platform: "telegram",
    target: undefined,
    text: "The **beds** are done",
    files: [],
    callId: "1:call_1",
    ...wish,
  });

const reply = (task: Task) =>
  replyForTask(platform.deps(database.db), task, { text: "Soon", files: [], callId: "1:c" });

const refused = (task: Task, wish: Wish = {}) =>
  send(task, wish).then(
    () => ({ code: "none", message: "It was sent" }),
    ({ code, message }: { code: string; message: string }) => ({ code, message }),
  );

describe("an agent's message to a platform", () => {
  it("goes to the person's private chat, and is a message of the channel", async () => {
    const person = await rows.person();
    const channel = await rows.channel(person);
    const own = await rows.identity(person);
    const task = await rows.task(person);
    const outcome = await send(task);
    expect(outcome).toEqual({
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

  it("prefers the channel that the task came from, then one of its project, then the oldest", async () => {
    const person = await rows.person();
    const oldest = await rows.channel(person, { createdAt: new Date(0) });
    const ofProject = await rows.channel(person, { projectId: person.projectId });
    const origin = await rows.channel(person);
    const own = await rows.identity(person);
    const sessionId = await rows.session(person, origin, { chatId: "-5", chatType: "group", senderId: own });
    const channelOf = async (task: Task) => {
      await send(task, { target: own });
      return (await stored(task.id))[0]?.channelConfigId;
    };
    expect(await channelOf(await rows.task(person, { sessionId }))).toBe(origin.id);
    expect(await channelOf(await rows.task(person))).toBe(ofProject.id);
    const elsewhere = { ...person, projectId: await rows.project(person) };
    expect(await channelOf(await rows.task(elsewhere))).toBe(oldest.id);
  });

  it("goes through a bot that the person has written to, since others may not begin", async () => {
    const person = await rows.person();
    await rows.channel(person, { projectId: person.projectId });
    const known = await rows.channel(person);
    const own = await rows.identity(person);
    await rows.session(person, known, { chatId: own });
    const task = await rows.task(person);
    await send(task);
    expect(await stored(task.id)).toMatchObject([{ channelConfigId: known.id }]);
  });

  it("goes to chats that the channel has exchanged messages with", async () => {
    const person = await rows.person();
    const colleague = await rows.person();
    const channel = await rows.channel(person);
    await rows.identity(person);
    await rows.session(person, channel, { chatId: "-100", chatType: "group", threadId: "7" });
    await rows.session(colleague, channel, { chatId: "D9", senderId: "900" });
    await database.db.insert(channelMessages).values({
      id: newId(),
      channelConfigId: channel.id,
      direction: "outbound",
      jid: "telegram:-300",
      content: "A test",
      status: "delivered",
    });
    const task = await rows.task(person);
    const targets = ["-100", "-100:7", "telegram:-100", "900", "-300"];
    for (const [index, target] of targets.entries()) await send(task, { target, callId: `1:${index}` });
    expect(platform.sent.map(({ place }) => [place.chatId, place.threadId])).toEqual([
      ["-100", undefined],
      ["-100", "7"],
      ["-100", undefined],
      ["D9", undefined],
      ["-300", undefined],
    ]);
  });

  it("goes to no chat of a link that was removed, also through an own channel", async () => {
    const person = await rows.person();
    const channel = await rows.channel(person);
    const own = await rows.identity(person);
    await rows.session(person, channel, { chatId: own });
    await database.db.delete(platformIdentities).where(eq(platformIdentities.userId, person.id));
    const message = { direction: "outbound", jid: `telegram:${own}`, content: "Earlier" } as const;
    await database.db
      .insert(channelMessages)
      .values({ id: newId(), channelConfigId: channel.id, status: "delivered", ...message });
    expect(await refused(await rows.task(person), { target: own })).toMatchObject({ code: "forbidden" });
  });

  it("goes nowhere else", async () => {
    const [person, other] = [await rows.person(), await rows.person()];
    await rows.channel(person);
    await rows.identity(person);
    const foreign = await rows.channel(other);
    const [home, identity] = ["-777", await rows.identity(other)];
    await rows.session(other, foreign, { chatId: home, chatType: "group" });
    const task = await rows.task(person);
    for (const target of ["12345", home, identity, "@everyone", ""]) {
      const { code, message } = await refused(task, { target });
      expect([target, code]).toEqual([target, "forbidden"]);
      expect(message).toMatch(/^The Telegram channel may not write to /u);
    }
    expect(platform.sent).toEqual([]);
    expect(await stored(task.id)).toEqual([]);
  });

  it("goes to no group of a channel of another project, and to no chat that a stranger chose", async () => {
    const person = await rows.person();
    const elsewhere = await rows.project(person);
    const [own, other] = [await rows.channel(person), await rows.channel(person, { projectId: elsewhere })];
    await rows.identity(person);
    await rows.session(person, other, { chatId: "-100", chatType: "group" });
    const answered = {
      direction: "outbound",
      content: "Write to me in private",
      status: "delivered",
    } as const;
    for (const [channelConfigId, jid, occasion] of [
      [own.id, "telegram:-200", "hint:1"],
      [other.id, "telegram:-300", null],
    ] as const) {
      await database.db
        .insert(channelMessages)
        .values({ id: newId(), channelConfigId, jid, occasion, ...answered });
    }
    const task = await rows.task(person);
    for (const target of ["-100", "-200", "-300"]) {
      expect(await refused(task, { target })).toMatchObject({ code: "forbidden" });
    }
    const there = await rows.task({ ...person, projectId: elsewhere });
    expect(await send(there, { target: "-100" })).toMatchObject({ status: "sent" });
    expect(await send(there, { target: "-300", callId: "1:call_2" })).toMatchObject({ status: "sent" });
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
    expect(await refused(task, { target: "-100" })).toMatchObject({ code: "forbidden" });
    // The word of its owner has no rights on the guest's own bots.
    const bot = await rows.channel(guest);
    await rows.identity(guest, { channelConfigId: bot.id });
    await rows.session(guest, bot, { chatId: "-300", chatType: "group" });
    expect(await refused(task, { target: "-300", callId: "1:call_2" })).toMatchObject({ code: "forbidden" });
    await database.db.update(channelConfigs).set({ isActive: false }).where(eq(channelConfigs.id, bot.id));
    // A task that did not come from there has no channel at all, and neither has one about another project.
    expect(await refused(await rows.task(inside))).toMatchObject({ code: "not_found" });
    expect(await refused(await rows.task(guest, { sessionId }))).toMatchObject({ code: "not_found" });
  });

  it("of a key that is bound to projects goes through their channels alone", async () => {
    const person = await rows.person();
    await rows.channel(person);
    await rows.identity(person);
    const settings = { name: "key", scopes: null, projectIds: [person.projectId], expiresAt: null };
    const { key } = await createApiKey(
      { ...sessionDeps(database.db), db: database.db },
      person.caller,
      settings,
      CLIENT,
    );
    const task = await rows.task(person, { apiKeyId: key.id });
    expect(await refused(task)).toMatchObject({ code: "not_found" });
    const bound = await rows.channel(person, { projectId: person.projectId });
    await rows.identity(person, { channelConfigId: bound.id });
    expect(await send(task)).toMatchObject({ status: "sent" });
  });

  it("says what is missing, and where to connect it", async () => {
    const person = await rows.person();
    const task = await rows.task(person);
    expect(await refused(task)).toEqual({
      code: "not_found",
      message: "No Telegram channel is connected. A person connects one under Settings → Channels",
    });
    await rows.channel(person, { isActive: false });
    expect(await refused(task)).toMatchObject({ message: expect.stringMatching(/^No Telegram channel/u) });
    await rows.channel(person);
    expect(await refused(task)).toMatchObject({
      code: "not_found",
      message: expect.stringMatching(/^No Telegram account of the person is linked/u),
    });
  });

  it("takes the spellings of people and phone numbers", async () => {
    const person = await rows.person();
    await rows.channel(person, { channelType: "slack" });
    await rows.channel(person, { channelType: "whatsapp" });
    await rows.identity(person, { platform: "slack", platformUserId: "T1:U7" });
    await rows.identity(person, { platform: "whatsapp", platformUserId: "4915112345678" });
    const task = await rows.task(person);
    await send(task, { platform: "slack", target: "U7" });
    await send(task, { platform: "whatsapp", target: "+49 151 12345678", callId: "1:call_2" });
    expect(platform.opened).toEqual(["T1:U7", "4915112345678"]);
  });

  it("goes to the person's own terminal, of the task's project or of none", async () => {
    const [person, other] = [await rows.person(), await rows.person()];
    await rows.channel(person, { channelType: "cli", projectId: await rows.project(person) });
    const task = await rows.task(person);
    expect(await refused(task, { platform: "cli" })).toMatchObject({ code: "not_found" });
    await rows.channel(person, { channelType: "cli", projectId: person.projectId });
    expect(await send(task, { platform: "cli" })).toMatchObject({ status: "sent", chatId: person.id });
    expect(platform.sent).toMatchObject([{ place: { chatId: person.id, threadId: person.projectId } }]);
    expect(await refused(task, { platform: "cli", target: other.id })).toMatchObject({ code: "forbidden" });
  });
});

/** A task of a person with a channel and an account. */
async function ready() {
  const person = await rows.person();
  await rows.channel(person);
  await rows.identity(person);
  return rows.task(person);
}

describe("the outcome of an agent's message", () => {
  it("is the platform's reason when it refuses", async () => {
    const task = await ready();
    platform.failure = new PlatformFailure("refused", "The bot was blocked by the person.");
    expect(await send(task)).toMatchObject({
      status: "failed",
      reason: "The bot was blocked by the person.",
    });
    expect(await stored(task.id)).toMatchObject([{ status: "failed" }]);
  });

  it("is that it waits, when the platform asks for patience", async () => {
    const task = await ready();
    platform.failure = new PlatformFailure("busy", "Telegram asks for patience.", { retryAfterSeconds: 60 });
    expect(await send(task)).toMatchObject({ status: "queued", reason: "Telegram asks for patience." });
    expect(platform.published).toMatchObject([{ function: "deliver-message" }]);
  });

  it("is the first one's for a call that is repeated, which sends nothing", async () => {
    const task = await ready();
    const [first, second] = [await send(task), await send(task)];
    expect(second).toEqual(first);
    expect(platform.sent).toHaveLength(1);
    await send(task, { callId: "2:call_1" });
    expect(platform.sent).toHaveLength(2);
  });

  it("is a failure of the platform that does not tell where the person is", async () => {
    const task = await ready();
    const deps = platform.deps(database.db);
    const failing = {
      ...deps.channels.telegram,
      api: () => ({
        identify: never,
        send: never,
        directPlace: () => Promise.reject(new PlatformFailure("refused", "There is no such person.")),
      }),
    };
    const outcome = await send(task, {}, { ...deps, channels: { ...deps.channels, telegram: failing } });
    expect(outcome).toMatchObject({ status: "failed", reason: "There is no such person." });
  });
});

const never = () => Promise.reject(new Error("This was not to be called"));

describe("files of an agent's message", () => {
  it("are stored after it, for the executor that sends them", async () => {
    const task = await ready();
    const files = ["out/plan.pdf", "beds.csv"];
    expect(await send(task, { files })).toMatchObject({ status: "sent" });
    const kept = await stored(task.id);
    expect(kept.map(({ kind, content }) => [kind, content])).toEqual(
      expect.arrayContaining([
        ["message", "The **beds** are done"],
        ["artifact", "out/plan.pdf"],
        ["artifact", "beds.csv"],
      ]),
    );
  });

  it("are refused with the message when the project has no such file", async () => {
    const task = await ready();
    expect(await refused(task, { files: ["out/plan.pdf", "missing.pdf"] })).toEqual({
      code: "invalid_input",
      message: "The project has no file missing.pdf that this task may read",
    });
    expect(await stored(task.id)).toEqual([]);
  });
});

describe("a reply of an agent at work", () => {
  it("goes to where the task came from, in its thread", async () => {
    const [owner, guest] = [await rows.person(), await rows.person()];
    const channel = await rows.channel(owner, { projectId: owner.projectId });
    await rows.identity(guest, { channelConfigId: channel.id });
    const sessionId = await rows.session(guest, channel, { chatId: "-1", chatType: "group", threadId: "8" });
    const task = await rows.task(await rows.join(guest, owner.projectId), { sessionId, replyTo: "55" });
    expect(await reply(task)).toMatchObject({ status: "sent", chatId: "-1" });
    expect(platform.sent).toMatchObject([
      { place: { chatId: "-1", chatType: "group", threadId: "8" }, replyTo: "55" },
    ]);
  });

  it("needs a platform to go to", async () => {
    const task = await rows.task(await rows.person());
    await expect(reply(task)).rejects.toMatchObject({ code: "not_found" });
  });
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

const stored = (taskId: string) =>
  database.db.select().from(channelMessages).where(eq(channelMessages.taskId, taskId));
