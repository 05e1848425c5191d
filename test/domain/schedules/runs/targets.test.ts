import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { channelConfigs, channelSessions } from "#src/db/schema/index.ts";
import { requireSchedule } from "#src/domain/schedules/definitions/index.ts";
import { finishRun, listRuns } from "#src/domain/schedules/runs/index.ts";
import { openDatabase } from "#test/support/database.ts";
import { ANSWER, MINUTE_MS, ScheduleWorld, type Person } from "../support/schedule-world.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let world: ScheduleWorld;
let person: Person;
beforeAll(async () => {
  database = await openDatabase();
});
beforeEach(async () => {
  world = await ScheduleWorld.open(database.db);
  person = await world.rows.person();
});
afterAll(() => database.close());

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
  it("of a schedule that was made in the browser is the project's chat alone", async () => {
    const channel = await world.rows.channel(person);
    await world.rows.identity(person, { homeChannelConfigId: channel.id, homeChatId: "-100" });
    const id = await world.schedule(person, { deliver: "origin" });
    await world.runOnce(id);
    expect(await world.outbox(channel)).toEqual([]);
    expect(await deliveries(id)).toEqual([{ target: "origin", status: "in_app", error: null, jid: null }]);
    expect(await world.found(id)).toMatchObject({ lastStatus: "success", lastError: null });
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

  it("that is deleted, with its row or without, fails the delivery, with a sentence, and not the run", async () => {
    const [deleted, off] = [await world.rows.channel(person), await world.rows.channel(person)];
    const ids = [];
    for (const channel of [deleted, off]) {
      const nextRunAt = new Date(Date.now() + MINUTE_MS);
      ids.push(await world.schedule(person, { deliver: "origin", nextRunAt, ...originOf(channel) }));
    }
    await database.db.delete(channelConfigs).where(eq(channelConfigs.id, deleted.id));
    await database.db.update(channelConfigs).set({ isActive: false }).where(eq(channelConfigs.id, off.id));
    for (const id of ids) {
      await world.runOnce(id);
      const { lastStatus, lastError, failuresInRow } = await world.found(id);
      expect({ lastStatus, failuresInRow }).toEqual({ lastStatus: "delivery_failed", failuresInRow: 0 });
      expect(lastError).toBe("The Telegram channel that the schedule was made in was deleted");
      expect(await world.statuses(id)).toEqual(["success"]);
      expect(await deliveries(id)).toEqual([
        { target: "origin", status: "failed", error: lastError, jid: null },
      ]);
    }
  });
});

/** The id of the channel that a schedule's result goes through. */
async function channelOf(id: string, ...channels: { id: string }[]): Promise<string | undefined> {
  await world.runOnce(id);
  const { lastTaskId } = await world.found(id);
  return (await world.outbox(...channels)).find(({ taskId }) => taskId === lastTaskId)?.channelConfigId;
}

describe("a chat of a platform", () => {
  it("is written to through the origin's channel of its platform, else one of the project, else any", async () => {
    const oldest = await world.rows.channel(person, { createdAt: new Date(0) });
    const ofProject = await world.rows.channel(person, { projectId: person.projectId });
    const origin = await world.rows.channel(person);
    const slack = await world.rows.channel(person, { channelType: "slack" });
    const all = [oldest, ofProject, origin, slack];
    const elsewhere = { ...person, projectId: await world.rows.project(person) };
    expect([
      await channelOf(await world.schedule(person, { deliver: "telegram:-51", ...originOf(origin) }), ...all),
      await channelOf(await world.schedule(person, { deliver: "telegram:-52", ...originOf(slack) }), ...all),
      await channelOf(await world.schedule(person, { deliver: "telegram:-53" }), ...all),
      await channelOf(await world.schedule(elsewhere, { deliver: "telegram:-54" }), ...all),
    ]).toEqual([origin.id, ofProject.id, ofProject.id, oldest.id]);
    expect((await world.outbox(...all)).map(({ jid }) => jid)).toEqual([
      "telegram:-51",
      "telegram:-52",
      "telegram:-53",
      "telegram:-54",
    ]);
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
    const sessionId = await world.rows.session(person, channel, { chatId: own });
    const id = await world.schedule(person, { deliver: `telegram:${own}` });
    await world.runOnce(id);
    const [task] = await world.tasksOf(person);
    const sessions = await database.db
      .select()
      .from(channelSessions)
      .where(eq(channelSessions.channelConfigId, channel.id));
    expect(sessions.map(({ chatId }) => chatId)).toContain(task?.chatId);
    expect(sessionId).toBeDefined();
  });

  it("that a platform refuses fails the delivery, as the platform says", async () => {
    const channel = await world.rows.channel(person);
    const id = await world.schedule(person, { deliver: "telegram:-55" });
    world.platform.failure = new PlatformFailure("refused", "The bot was removed from the group.");
    await world.runOnce(id);
    expect(await world.outbox(channel)).toMatchObject([{ status: "failed" }]);
    expect(await deliveries(id)).toMatchObject([
      { status: "failed", error: "The bot was removed from the group.", jid: "telegram:-55" },
    ]);
    expect(await requireSchedule(database, person.caller, id)).toMatchObject({
      schedule: { lastStatus: "success" },
      undelivered: "The bot was removed from the group.",
    });
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
    expect(await deliveries(id)).toMatchObject([
      {
        target: "telegram",
        status: "failed",
        error: expect.stringMatching(/^No Telegram account of the person is linked/u),
      },
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

  it("of none delivers nothing", async () => {
    const channel = await world.rows.channel(person);
    const id = await world.schedule(person, { deliver: "none", ...originOf(channel) });
    await world.runOnce(id);
    expect(await world.outbox(channel)).toEqual([]);
    expect(await world.runs(id)).toMatchObject([{ status: "success", deliveries: [], isSilent: false }]);
  });
});

describe("an answer", () => {
  it.each(["[SILENT]", "  [SILENT]\n"])("of %j delivers nothing, and is noted", async (response) => {
    const channel = await world.rows.channel(person);
    const id = await world.schedule(person, { deliver: "origin", ...originOf(channel), failuresInRow: 2 });
    await world.runOnce(id, { status: "completed", response });
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
    await world.tick();
    for (const message of world.waiting.splice(0)) await world.handle(message);
    const [run] = await world.runs(id);
    await world.finish(run?.taskId ?? "");
    await Promise.all(Array.from({ length: 8 }, () => finishRun(world.deps(), run?.taskId ?? "")));
    await world.deliver();
    expect((await world.outbox(channel)).map(({ jid }) => jid).toSorted()).toEqual([
      "telegram:-55",
      "telegram:-7",
    ]);
    expect(world.platform.sent).toHaveLength(2);
    expect(await world.found(id)).toMatchObject({ failuresInRow: 0, lastStatus: "success" });
  });

  it("of another kind of task, and of one at work, is none of a run", async () => {
    const task = await world.rows.task(person);
    await finishRun(world.deps(), task.id);
    await finishRun(world.deps(), crypto.randomUUID());
    const id = await world.schedule(person);
    await world.tick();
    const [run] = await world.runs(id);
    await finishRun(world.deps(), run?.taskId ?? "");
    const [start] = world.waiting.splice(0);
    if (start) await world.handle(start);
    await finishRun(world.deps(), run?.taskId ?? "");
    expect(await world.statuses(id)).toEqual(["running"]);
  });
});
