import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { schedules } from "#src/db/schema/index.ts";
import { finishRun, startRun, sweepRuns } from "#src/domain/schedules/runs/index.ts";
import { openDatabase } from "#test/support/database.ts";
import { killedEverywhere } from "#test/support/mortal.ts";
import { ANSWER, ScheduleWorld } from "../support/schedule-world.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let world: ScheduleWorld;
beforeAll(async () => {
  database = await openDatabase();
});
beforeEach(async () => {
  world = await ScheduleWorld.open(database.db);
});
afterAll(() => database.close());

const DUE = 3;

/** Schedules of a person that are due, whose results go to a home, to a chat and to a chat of another platform. */
async function newSchedules() {
  const person = await world.rows.person();
  const telegram = await world.rows.channel(person);
  const slack = await world.rows.channel(person, { channelType: "slack" });
  await world.rows.identity(person, { homeChannelConfigId: telegram.id, homeChatId: "-100" });
  const deliver = "telegram, telegram:-200, slack:C1";
  const ids: string[] = [];
  for (let nth = 0; nth < DUE; nth += 1)
    ids.push(await world.schedule(person, { deliver, overlap: "queue" }));
  const after = async () => {
    await world.recover();
    const runs = await world.runs(...ids);
    expect(runs.map(({ status }) => status)).toEqual(ids.map(() => "success"));
    expect(new Set(runs.map(({ scheduleId }) => scheduleId)).size).toBe(DUE);
    const tasks = await world.tasksOf(person);
    expect(tasks.map(({ id }) => id).toSorted()).toEqual(runs.map(({ taskId }) => taskId).toSorted());
    const sent = await world.outbox(telegram, slack);
    const places = ["slack:C1", "telegram:-100", "telegram:-200"];
    for (const { taskId } of runs) {
      const own = sent.filter((message) => message.taskId === taskId);
      expect(own.map(({ jid }) => jid).toSorted()).toEqual(places);
      expect(own.map(({ content }) => content)).toEqual(places.map(() => ANSWER));
    }
    expect(sent).toHaveLength(DUE * places.length);
    for (const id of ids) {
      expect(await world.found(id)).toMatchObject({
        runsCompleted: 1,
        lastStatus: "success",
        failuresInRow: 0,
      });
    }
  };
  return { person, ids, after };
}

describe("every moment is run once and every target has one message when the program is killed at any of its calls", () => {
  it("of a tick", async () => {
    const calls = await killedEverywhere(async () => {
      const { after } = await newSchedules();
      return { program: () => world.tick(), after };
    });
    // Claim, store and publish.
    expect(calls).toBe(3);
  });

  it("of the start of a run", async () => {
    const calls = await killedEverywhere(async () => {
      const { ids, after } = await newSchedules();
      await world.tick();
      const [run] = await world.runs(...ids);
      world.waiting = world.waiting.filter(({ payload }) => Object(payload).runId !== run?.id);
      return { program: () => startRun(world.deps(), run?.id ?? ""), after };
    });
    expect(calls).toBeGreaterThanOrEqual(5);
  });

  it("of the start of a run whose message is delivered again", async () => {
    const calls = await killedEverywhere(async () => {
      const { ids, after } = await newSchedules();
      await world.tick();
      const [run] = await world.runs(...ids);
      return { program: () => startRun(world.deps(), run?.id ?? ""), after };
    });
    expect(calls).toBeGreaterThanOrEqual(5);
  });

  it("of the end of a run", async () => {
    const calls = await killedEverywhere(async () => {
      const { ids, after } = await newSchedules();
      await world.tick();
      const [run] = await world.runs(...ids);
      if (!run) throw new Error("There is no run");
      await startRun(world.deps(), run.id);
      await world.finish(run.taskId);
      const isOf = ({ payload }: { payload: unknown }) =>
        [run.id, run.taskId].includes(String(Object(payload).runId ?? Object(payload).taskId));
      world.waiting = world.waiting.filter((message) => !isOf(message));
      return { program: () => finishRun(world.deps(), run.taskId), after };
    });
    expect(calls).toBeGreaterThanOrEqual(10);
  });

  it("of a sweep", async () => {
    const calls = await killedEverywhere(async () => {
      const { after } = await newSchedules();
      await world.tick();
      world.waiting = [];
      await world.passTime();
      return { program: () => sweepRuns(world.deps()), after };
    });
    expect(calls).toBeGreaterThanOrEqual(2);
  });

  it("of the end of a run that another one waits for", async () => {
    const calls = await killedEverywhere(async () => {
      const person = await world.rows.person();
      const id = await world.schedule(person, { overlap: "queue" });
      await world.tick();
      await world.makeDue(id);
      await world.tick();
      const runs = await world.runs(id);
      for (const run of runs) await startRun(world.deps(), run.id);
      const taskId = runs[0]?.taskId ?? "";
      await world.finish(taskId);
      world.waiting = [];
      const after = async () => {
        await world.recover();
        expect(await world.statuses(id)).toEqual(["success", "success"]);
        expect(await world.tasksOf(person)).toHaveLength(2);
        await database.db.update(schedules).set({ isActive: false }).where(eq(schedules.id, id));
      };
      return { program: () => finishRun(world.deps(), taskId), after };
    });
    expect(calls).toBeGreaterThanOrEqual(3);
  });
});

describe("the notice of a pause", () => {
  it("comes once when the run that finds the reason is killed at any of its calls", async () => {
    const calls = await killedEverywhere(async () => {
      const person = await world.rows.person();
      const telegram = await world.rows.channel(person);
      await world.rows.identity(person, { homeChannelConfigId: telegram.id, homeChatId: "-100" });
      const id = await world.schedule(person, { projectId: null });
      await world.tick();
      const [run] = await world.runs(id);
      world.waiting = [];
      const after = async () => {
        await world.recover();
        expect(await world.statuses(id)).toEqual(["failed"]);
        expect(await world.found(id)).toMatchObject({ isActive: false, pausedReason: "Project not found" });
        expect(await world.outbox(telegram)).toHaveLength(1);
      };
      return { program: () => startRun(world.deps(), run?.id ?? ""), after };
    });
    expect(calls).toBeGreaterThanOrEqual(5);
  });
});

describe("the notice of failures", () => {
  it("comes once when the end of the third run is killed at any of its calls", async () => {
    const calls = await killedEverywhere(async () => {
      const person = await world.rows.person();
      const telegram = await world.rows.channel(person);
      await world.rows.identity(person, { homeChannelConfigId: telegram.id, homeChatId: "-100" });
      const id = await world.schedule(person, { failuresInRow: 2 });
      await world.tick();
      const [run] = await world.runs(id);
      if (!run) throw new Error("There is no run");
      await startRun(world.deps(), run.id);
      await world.finish(run.taskId, { status: "failed", error: "It broke" });
      world.waiting = [];
      const after = async () => {
        await world.recover();
        expect(await world.statuses(id)).toEqual(["failed"]);
        expect(await world.found(id)).toMatchObject({ failuresInRow: 3 });
        expect(await world.outbox(telegram)).toHaveLength(1);
      };
      return { program: () => finishRun(world.deps(), run.taskId), after };
    });
    expect(calls).toBeGreaterThanOrEqual(5);
  });
});
