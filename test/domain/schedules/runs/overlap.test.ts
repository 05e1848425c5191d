import { beforeEach, describe, expect, it } from "vitest";
import { AppError } from "#src/lib/errors.ts";
import { requestRun, triggerRun } from "#src/domain/schedules/runs/index.ts";
import { fileDatabase } from "#test/support/database.ts";
import { dateIn } from "#test/support/same-day.ts";
import { ANSWER, ScheduleWorld, advancedRuns, type Person } from "../support/schedule-world.ts";

const { db } = await fileDatabase();
let world: ScheduleWorld;
let person: Person;
beforeEach(async () => {
  world = await ScheduleWorld.open(db);
  person = await world.rows.person();
});

const OVERLAPPED = "The previous run was still at work";

/** A moment of the schedule comes. Returns the task of the run that a message was published for. */
async function moment(id: string): Promise<string | undefined> {
  await world.makeDue(id);
  const before = world.published.length;
  await world.tick();
  return advancedRuns(world.published.slice(before))[0];
}

/** Starts runs at once, in an order that is not known. */
const start = (...runs: (string | undefined)[]) =>
  Promise.all(runs.map(async (taskId) => taskId !== undefined && world.advance(taskId)));

/** The task of a schedule's nth run ends, and what follows from it happens; tasks that begin stay at work. */
async function end(id: string, nth: number): Promise<void> {
  const run = (await world.runs(id))[nth];
  if (!run) throw new Error("There is no such run");
  world.waiting = [];
  await world.finish(run.taskId);
  await world.follow();
}

describe("a moment that comes while the previous run is at work", () => {
  it("is skipped by default, and counts for nothing", async () => {
    const id = await world.schedule(person, { repeat: 2 });
    await start(await moment(id));
    expect(await moment(id)).toBeUndefined();
    expect(await world.runs(id)).toMatchObject([
      { status: "running" },
      { status: "skipped", error: OVERLAPPED, startedAt: null },
    ]);
    expect(await world.found(id)).toMatchObject({ runsCompleted: 1, lastStatus: "skipped", isActive: true });
    await end(id, 0);
    await start(await moment(id));
    expect(await world.statuses(id)).toEqual(["success", "skipped", "running"]);
    expect(await world.found(id)).toMatchObject({ runsCompleted: 2, isActive: false });
  });

  it("is run when the task has ended, although its end is not followed up yet", async () => {
    const id = await world.schedule(person);
    await start(await moment(id));
    await world.finish((await world.runs(id))[0]?.taskId ?? "");
    await start(await moment(id));
    expect(await world.statuses(id)).toEqual(["running", "running"]);
    await world.deliver();
    expect(await world.statuses(id)).toEqual(["success", "success"]);
  });

  it("waits for its turn, of several the oldest first, and begins once however often the end is told", async () => {
    const id = await world.schedule(person, { overlap: "queue" });
    for (let nth = 0; nth < 3; nth += 1) await start(await moment(id));
    expect(await world.statuses(id)).toEqual(["running", "waiting", "waiting"]);
    await world.finish((await world.runs(id))[0]?.taskId ?? "");
    const told = advancedRuns(world.waiting.splice(0));
    await start(...told, ...told, ...told);
    await start(...advancedRuns(world.waiting));
    expect(await world.statuses(id)).toEqual(["success", "running", "waiting"]);
    for (const nth of [1, 2]) await end(id, nth);
    expect(await world.statuses(id)).toEqual(["success", "success", "success"]);
    expect(await world.tasksOf(person)).toHaveLength(3);
    expect(await world.found(id)).toMatchObject({ runsCompleted: 3, lastStatus: "success" });
  });

  it("is skipped when ten wait already", async () => {
    const id = await world.schedule(person, { overlap: "queue" });
    for (let nth = 0; nth < 12; nth += 1) await start(await moment(id));
    const waiting = Array.from({ length: 10 }, () => "waiting");
    expect(await world.statuses(id)).toEqual(["running", ...waiting, "skipped"]);
    expect(await world.found(id)).toMatchObject({ lastStatus: "skipped", lastError: OVERLAPPED });
  });

  it("runs beside it, where the schedule says so", async () => {
    const id = await world.schedule(person, { overlap: "allow" });
    for (let nth = 0; nth < 3; nth += 1) await start(await moment(id));
    expect(await world.statuses(id)).toEqual(["running", "running", "running"]);
    // The schedule shows the newest, whichever ends last.
    await world.finish((await world.runs(id))[0]?.taskId ?? "", {
      status: "failed",
      error: "It broke",
    });
    await world.follow();
    expect(await world.found(id)).toMatchObject({ lastStatus: "running", lastError: null });
    await end(id, 2);
    expect(await world.found(id)).toMatchObject({ lastStatus: "success" });
    await end(id, 1);
    expect(await world.statuses(id)).toEqual(["failed", "success", "success"]);
  });

  it.each([
    ["skip", "skipped"],
    ["queue", "waiting"],
  ] as const)(
    "in a race, too: with %s, one of two runs that are started at once is %s",
    async (overlap, other) => {
      const id = await world.schedule(person, { overlap });
      const runs = [await moment(id), await moment(id)];
      await start(...runs, ...runs);
      expect(new Set(await world.statuses(id))).toEqual(new Set(["running", other]));
      expect(await world.tasksOf(person)).toHaveLength(1);
    },
  );
});

const goneAway = () => Promise.reject(new AppError("unavailable", "The queue did not answer"));

describe("a run by hand", () => {
  it("is blocked by nothing, blocks nothing and leaves the clock and the counts as they are", async () => {
    const id = await world.schedule(person, { overlap: "skip", repeat: 5, failuresInRow: 2 });
    await start(await moment(id));
    const { nextRunAt, runsCompleted, repeat, isActive, failuresInRow } = await world.found(id);
    const [one, two] = [await triggerRun(world.deps(), id), await requestRun(world.deps(), id)];
    await start(two, two);
    const kept = { nextRunAt, runsCompleted, repeat, isActive, failuresInRow };
    expect(await world.found(id)).toMatchObject({ ...kept, lastTaskId: two });
    expect(await world.statuses(id)).toEqual(["running", "running", "running"]);
    await world.finish(one, { status: "failed", error: "It broke" });
    await world.finish(two);
    await world.follow();
    expect(await world.found(id)).toMatchObject(kept);
    await end(id, 0);
    await triggerRun(world.deps(), id);
    expect(await moment(id)).toBeDefined();
    expect(await world.statuses(id)).toEqual(["success", "failed", "success", "running", "enqueued"]);
    expect(world.mails).toEqual([]);
  });

  it("goes on later when the queue does not take its task", async () => {
    const id = await world.schedule(person);
    const deps = world.deps();
    const taskId = await triggerRun({ ...deps, queue: { ...deps.queue, publish: goneAway } }, id);
    expect(await world.statuses(id)).toEqual(["running"]);
    await world.follow();
    await world.passTime();
    await world.advance(taskId);
    await world.finish(taskId);
    await world.follow();
    expect(await world.statuses(id)).toEqual(["success"]);
  });

  it("of a paused schedule is run, with its texts filled in and its own title", async () => {
    const id = await world.schedule(person, {
      isActive: false,
      nextRunAt: null,
      promptTemplate: "{schedule_name} of {date}",
      timezone: "Pacific/Kiritimati",
    });
    const before = dateIn("Pacific/Kiritimati");
    const taskId = await triggerRun(world.deps(), id);
    const after = dateIn("Pacific/Kiritimati");
    expect(await world.tasksOf(person)).toMatchObject([
      {
        id: taskId,
        message: expect.toBeOneOf([`Issues of ${before}`, `Issues of ${after}`]),
        origin: "schedule",
        editMode: "allow",
      },
    ]);
    await world.finish(taskId, { status: "completed", response: ANSWER });
    await world.deliver();
    expect(await world.found(id)).toMatchObject({ isActive: false, nextRunAt: null, lastStatus: "success" });
  });
});
