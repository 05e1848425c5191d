import { beforeEach, expect, it } from "vitest";
import { requestRun } from "#src/domain/schedules/runs/index.ts";
import { fileDatabase } from "#test/support/database.ts";
import { killed, killedEverywhere, runMortal, type Prepare } from "#test/support/mortal.ts";
import { ANSWER, ScheduleWorld } from "../support/schedule-world.ts";

const { db } = await fileDatabase();
let world: ScheduleWorld;
beforeEach(async () => {
  world = await ScheduleWorld.open(db);
});

/** So far apart are the calls at which a program is killed, outside of `npm run soak`. */
const STEPS = [3, 6] as const;

/** A person with a home at Telegram, who is also in Slack. */
async function newPerson() {
  const person = await world.rows.person();
  const telegram = await world.rows.channel(person);
  const slack = await world.rows.channel(person, { channelType: "slack" });
  await world.rows.identity(person, { homeChannelConfigId: telegram.id, homeChatId: "-100" });
  return { person, telegram, slack };
}

/** Two schedules that are due, whose results go to a home and to a chat of another platform. */
async function newSchedules() {
  const { person, telegram, slack } = await newPerson();
  const wish = { deliver: "telegram, slack:C1", overlap: "queue" } as const;
  const ids = [await world.schedule(person, wish), await world.schedule(person, wish)];
  const after = async () => {
    await world.recover();
    const runs = await world.runs(...ids);
    expect(runs.map(({ status }) => status)).toEqual(ids.map(() => "success"));
    expect(new Set(runs.map(({ scheduleId }) => scheduleId)).size).toBe(ids.length);
    const tasks = await world.tasksOf(person);
    expect(tasks.map(({ id }) => id).toSorted()).toEqual(runs.map(({ taskId }) => taskId).toSorted());
    const sent = await world.outbox(telegram, slack);
    for (const { taskId } of runs) {
      const own = sent.filter((message) => message.taskId === taskId);
      expect(own.map(({ jid }) => jid).toSorted()).toEqual(["slack:C1", "telegram:-100"]);
      expect(own.map(({ content }) => content)).toEqual([ANSWER, ANSWER]);
    }
    expect(sent).toHaveLength(ids.length * 2);
    const counted = { runsCompleted: 1, lastStatus: "success", failuresInRow: 0 };
    for (const id of ids) expect(await world.found(id)).toMatchObject(counted);
  };
  return { ids, after };
}

/** The first run of these schedules, which a tick has made. */
async function firstRun(...ids: string[]) {
  await world.tick();
  const [run] = await world.runs(...ids);
  if (!run) throw new Error("There is no run");
  return run;
}

/** Programs that may be killed at any of their calls: what they do, and what must be so in the end. */
const PROGRAMS: [what: string, prepare: Prepare][] = [
  [
    "a tick",
    async () => {
      const { after } = await newSchedules();
      return { program: () => world.tick(), after };
    },
  ],
  [
    "the start of a run, whose message is delivered again",
    async () => {
      const { ids, after } = await newSchedules();
      const { taskId } = await firstRun(...ids);
      return { program: () => world.advance(taskId), after };
    },
  ],
  [
    "the end of a run, whose message is lost",
    async () => {
      const { ids, after } = await newSchedules();
      const run = await firstRun(...ids);
      await world.advance(run.taskId);
      await world.finish(run.taskId);
      world.waiting = [];
      return { program: () => world.advance(run.taskId), after };
    },
  ],
  [
    "a sweep",
    async () => {
      const { after } = await newSchedules();
      await world.tick();
      world.waiting = [];
      await world.passTime();
      return { program: () => world.sweep(), after };
    },
  ],
  [
    "the end of a run that another one waits for",
    async () => {
      const { person } = await newPerson();
      const id = await world.schedule(person, { overlap: "queue" });
      await world.tick();
      await world.makeDue(id);
      await world.tick();
      const runs = await world.runs(id);
      for (const run of runs) await world.advance(run.taskId);
      const taskId = runs[0]?.taskId ?? "";
      await world.finish(taskId);
      world.waiting = [];
      const after = async () => {
        await world.recover();
        expect(await world.statuses(id)).toEqual(["success", "success"]);
        expect(await world.tasksOf(person)).toHaveLength(2);
        await ScheduleWorld.open(db);
      };
      return { program: () => world.advance(taskId), after };
    },
  ],
];

it.each(PROGRAMS)(
  "every moment is run once and every target has one message when the program is killed in %s",
  async (_, prepare) => {
    expect(await killed(prepare, STEPS)).toBeGreaterThanOrEqual(2);
  },
);

it.each<[string, object, "start" | "end", object]>([
  [
    "a pause comes once when the run that finds the reason",
    { projectId: null },
    "start",
    { isActive: false, pausedReason: "Project not found" },
  ],
  ["failures comes once when the end of the third run", { failuresInRow: 2 }, "end", { failuresInRow: 3 }],
])("the notice of %s is killed", async (_, values, of, found) => {
  const calls = await killed(async () => {
    const { person, telegram } = await newPerson();
    const id = await world.schedule(person, values);
    const run = await firstRun(id);
    if (of === "end") {
      await world.advance(run.taskId);
      await world.finish(run.taskId, { status: "failed", error: "It broke" });
    }
    world.waiting = [];
    const after = async () => {
      await world.recover();
      expect(await world.statuses(id)).toEqual(["failed"]);
      expect(await world.found(id)).toMatchObject(found);
      expect(await world.outbox(telegram)).toHaveLength(1);
    };
    // The program goes on with the notice.
    const program = async () => {
      await world.advance(run.taskId);
      await world.deliver();
    };
    return { program, after };
  }, STEPS);
  expect(calls).toBeGreaterThanOrEqual(5);
});

it("a run whose executors all die has failed, with a reason, and does not keep its schedule from running", async () => {
  const { person } = await newPerson();
  const id = await world.schedule(person, { overlap: "queue", failuresInRow: 2 });
  const { taskId } = await firstRun(id);
  for (let death = 0; (await world.statuses(id))[0] !== "failed"; death += 1) {
    expect(death).toBeLessThan(10);
    await world.passTime();
    // Each has claimed the job, and made the run `running`.
    await runMortal({ call: 2, isDone: true }, () => world.advance(taskId));
  }
  const error = "It was interrupted too many times";
  expect(await world.found(id)).toMatchObject({ failuresInRow: 3, lastStatus: "failed", lastError: error });
  world.waiting = [];
  await world.recover();
  expect(await world.statuses(id)).toEqual(["failed"]);
  expect(await world.tasksOf(person)).toEqual([]);
  await world.runOnce(id);
  expect(await world.statuses(id)).toEqual(["failed", "success"]);
});

// Without a sweep: the queue has the message before the run is stored.
it("a run that an agent asks for is run, or is not stored, wherever the agent is killed", async () => {
  const counts: number[] = [];
  await killedEverywhere(async () => {
    const { person } = await newPerson();
    const id = await world.schedule(person, { isActive: false, nextRunAt: null });
    const after = async () => {
      await world.deliver();
      const statuses = await world.statuses(id);
      expect(statuses).toEqual(statuses.map(() => "success"));
      counts.push(statuses.length);
    };
    return { program: () => requestRun(world.deps(), id), after };
  });
  expect(new Set(counts)).toEqual(new Set([0, 1]));
});
