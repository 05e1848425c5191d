import { eq, type SQL } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { channelConfigs, channelSessions } from "#src/db/schema/index.ts";
import { requireSchedule } from "#src/domain/schedules/definitions/index.ts";
import { listRuns } from "#src/domain/schedules/runs/index.ts";
import { fileDatabase } from "#test/support/database.ts";
import { ANSWER, ScheduleWorld, type Person } from "../support/schedule-world.ts";

const database = await fileDatabase();
const { db } = database;
let world: ScheduleWorld;
let person: Person;
beforeEach(async () => {
  world = await ScheduleWorld.open(db);
  person = await world.rows.person();
});

/** What the only run of a schedule delivered, as its history shows it. */
async function deliveries(id: string) {
  const [shown] = await listRuns(database, person.caller, id, { limit: 10, offset: 0 });
  return shown?.deliveries.map(({ target, status, error, jid }) => ({ target, status, error, jid }));
}

const originOf = (channel: typeof channelConfigs.$inferSelect, values = {}) => ({
  originPlatform: channel.channelType,
  originConfigId: channel.id,
  originChatId: "-7",
  originChatType: "group" as const,
  ...values,
});

describe("the origin", () => {
  it("of a schedule that was made in the browser is the project's chat alone; no target is none at all", async () => {
    const channel = await world.rows.channel(person);
    await world.rows.identity(person, { homeChannelConfigId: channel.id, homeChatId: "-100" });
    const id = await world.schedule(person, { deliver: "origin" });
    await world.runOnce(id);
    expect(await deliveries(id)).toEqual([{ target: "origin", status: "in_app", error: null, jid: null }]);
    expect(await world.found(id)).toMatchObject({ lastStatus: "success", lastError: null });
    const none = await world.schedule(person, { deliver: "none", ...originOf(channel) });
    await world.runOnce(none);
    expect(await world.runs(none)).toMatchObject([{ status: "success", deliveries: [], isSilent: false }]);
    expect(await world.outbox(channel)).toEqual([]);
  });

  it("is the chat and thread that the schedule was made in", async () => {
    const channel = await world.rows.channel(person);
    const id = await world.schedule(person, {
      deliver: "origin",
      ...originOf(channel, { originThreadId: "12" }),
    });
    await world.runOnce(id);
    expect(world.platform.sent).toMatchObject([
      { place: { chatId: "-7", chatType: "group", threadId: "12" }, text: { plain: ANSWER } },
    ]);
    expect(await deliveries(id)).toEqual([
      { target: "origin", status: "delivered", error: null, jid: "telegram:-7" },
    ]);
  });

  it.each<[string, (channel: SQL) => Promise<unknown>]>([
    ["with its row", (channel) => db.delete(channelConfigs).where(channel)],
    ["without", (channel) => db.update(channelConfigs).set({ isActive: false }).where(channel)],
  ])("that is deleted %s fails the delivery, with a sentence, and not the run", async (_, end) => {
    const channel = await world.rows.channel(person);
    const id = await world.schedule(person, { deliver: "origin", ...originOf(channel) });
    await end(eq(channelConfigs.id, channel.id));
    await world.runOnce(id);
    const error = "The Telegram channel that the schedule was made in was deleted";
    const failed = { lastStatus: "delivery_failed", lastError: error, failuresInRow: 0 };
    expect(await world.found(id)).toMatchObject(failed);
    expect(await world.statuses(id)).toEqual(["success"]);
    expect(await deliveries(id)).toEqual([{ target: "origin", status: "failed", error, jid: null }]);
  });
});

describe("a chat of a platform", () => {
  it("is written to through the origin's channel of its platform, else one of the project, else any", async () => {
    const oldest = await world.rows.channel(person, { createdAt: new Date(0) });
    const ofProject = await world.rows.channel(person, { projectId: person.projectId });
    const origin = await world.rows.channel(person);
    const slack = await world.rows.channel(person, { channelType: "slack" });
    const elsewhere = { ...person, projectId: await world.rows.project(person) };
    for (const [owner, deliver, values, expected] of [
      [person, "telegram:-51", originOf(origin), origin],
      [person, "telegram:-52", originOf(slack), ofProject],
      [person, "telegram:-53", {}, ofProject],
      [elsewhere, "telegram:-54", {}, oldest],
    ] as const) {
      await world.runOnce(await world.schedule(owner, { deliver, ...values }));
      const sent = (await world.outbox(oldest, ofProject, origin, slack)).at(-1);
      expect(sent).toMatchObject({ jid: deliver, channelConfigId: expected.id });
    }
  });

  it("without an active channel fails the delivery, with a sentence", async () => {
    await world.rows.channel(person, { isActive: false });
    await world.rows.channel(await world.rows.person());
    const id = await world.schedule(person, { deliver: "telegram:-55" });
    await world.runOnce(id);
    const error = "No Telegram channel is connected. A person connects one under Settings → Channels";
    expect(await world.found(id)).toMatchObject({ lastStatus: "delivery_failed", lastError: error });
    expect(await deliveries(id)).toEqual([{ target: "telegram:-55", status: "failed", error, jid: null }]);
  });

  it("is answered in the run's conversation, where it is the owner's private one", async () => {
    const channel = await world.rows.channel(person);
    const own = await world.rows.identity(person);
    await world.rows.session(person, channel, { chatId: own });
    const id = await world.schedule(person, { deliver: `telegram:${own}` });
    await world.runOnce(id);
    const [task] = await world.tasksOf(person);
    const ofChannel = eq(channelSessions.channelConfigId, channel.id);
    const sessions = await db.select().from(channelSessions).where(ofChannel);
    expect(sessions.map(({ chatId }) => chatId)).toContain(task?.chatId);
  });

  it("that a platform refuses fails the delivery, as the platform says", async () => {
    const channel = await world.rows.channel(person);
    const id = await world.schedule(person, { deliver: "telegram:-55" });
    const error = "The bot was removed from the group.";
    world.platform.failure = new PlatformFailure("refused", error);
    await world.runOnce(id);
    expect(await world.outbox(channel)).toMatchObject([{ status: "failed" }]);
    expect(await deliveries(id)).toMatchObject([{ status: "failed", error, jid: "telegram:-55" }]);
    const shown = { schedule: { lastStatus: "success" }, undelivered: error };
    expect(await requireSchedule(database, person.caller, id)).toMatchObject(shown);
  });
});

describe("a platform's name", () => {
  it("is the owner's home there, else the owner's private chat", async () => {
    const channel = await world.rows.channel(person);
    const slack = await world.rows.channel(person, { channelType: "slack" });
    await world.rows.identity(person, { homeChannelConfigId: channel.id, homeChatId: "-100" });
    const own = await world.rows.identity(person, { platform: "slack", platformUserId: "T1:U7" });
    const id = await world.schedule(person, { deliver: "telegram, Slack" });
    await world.runOnce(id);
    expect(await deliveries(id)).toEqual([
      { target: "telegram", status: "delivered", error: null, jid: "telegram:-100" },
      { target: "slack", status: "delivered", error: null, jid: `slack:dm-${own}` },
    ]);
    expect(await world.outbox(channel, slack)).toHaveLength(2);
  });

  it("fails the delivery without an account there, and leaves other targets alone", async () => {
    const channel = await world.rows.channel(person);
    const id = await world.schedule(person, { deliver: "telegram, telegram:-55" });
    await world.runOnce(id);
    const error = expect.stringMatching(/^No Telegram account of the person is linked/u);
    expect(await deliveries(id)).toMatchObject([
      { target: "telegram", status: "failed", error },
      { target: "telegram:-55", status: "delivered" },
    ]);
    expect(await world.found(id)).toMatchObject({ lastStatus: "delivery_failed" });
    expect(await world.outbox(channel)).toHaveLength(1);
  });
});

describe("a list of targets", () => {
  it("has each place once, however it is written", async () => {
    const channel = await world.rows.channel(person);
    await world.rows.identity(person, { homeChannelConfigId: channel.id, homeChatId: "-7" });
    const deliver = "telegram:-55, TELEGRAM:-55,origin, telegram, telegram:-7, origin, telegram:-55";
    const id = await world.schedule(person, { deliver, ...originOf(channel) });
    await world.runOnce(id);
    const sent = await world.outbox(channel);
    expect(sent.map(({ jid }) => jid).toSorted()).toEqual(["telegram:-55", "telegram:-7"]);
    expect((await deliveries(id))?.map(({ status }) => status)).not.toContain("failed");
  });
});

describe("an answer", () => {
  it("of [SILENT] alone delivers nothing, and is noted", async () => {
    const channel = await world.rows.channel(person);
    const id = await world.schedule(person, { deliver: "origin", ...originOf(channel), failuresInRow: 2 });
    await world.runOnce(id, { status: "completed", response: "  [SILENT]\n" });
    expect(await world.outbox(channel)).toEqual([]);
    expect(await world.runs(id)).toMatchObject([{ status: "success", isSilent: true, deliveries: [] }]);
    expect(await world.found(id)).toMatchObject({ lastStatus: "success", failuresInRow: 0 });
  });

  it("that speaks of [SILENT] is delivered; one without text says that the work is done", async () => {
    const channel = await world.rows.channel(person);
    const id = await world.schedule(person, { deliver: "origin", ...originOf(channel) });
    for (const response of ["[SILENT] is what I would say", "   "]) {
      await world.runOnce(id, { status: "completed", response });
    }
    expect((await world.outbox(channel)).map(({ content }) => content)).toEqual([
      "[SILENT] is what I would say",
      "The work is done; the agent wrote no text.",
    ]);
  });

  it("is delivered once, however often its end is told, also at once", async () => {
    const channel = await world.rows.channel(person);
    const id = await world.schedule(person, { deliver: "origin, telegram:-55", ...originOf(channel) });
    await world.startDue();
    const [run] = await world.runs(id);
    await world.finish(run?.taskId ?? "");
    await Promise.all(Array.from({ length: 8 }, () => world.advance(run?.taskId ?? "")));
    await world.deliver();
    const places = (await world.outbox(channel)).map(({ jid }) => jid).toSorted();
    expect(places).toEqual(["telegram:-55", "telegram:-7"]);
    expect(world.platform.sent).toHaveLength(2);
    expect(await world.found(id)).toMatchObject({ failuresInRow: 0, lastStatus: "success" });
  });

  it("is not expected of a task that is at work, however often a message asks for it", async () => {
    const id = await world.schedule(person);
    await world.startDue();
    const [run] = await world.runs(id);
    for (let nth = 0; nth < 3; nth += 1) {
      await world.passTime();
      await world.advance(run?.taskId ?? "");
    }
    expect(await world.statuses(id)).toEqual(["running"]);
    expect(world.waiting).toEqual([]);
    expect(await world.tasksOf(person)).toHaveLength(1);
  });
});
