import { eq, inArray } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { scheduleRuns, schedules } from "#src/db/schema/index.ts";
import { decide } from "#src/domain/schedules/runs/tick.ts";
import { newId } from "#src/lib/ids.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";
import { advancedRuns, ago, MINUTE_MS, type Person, ScheduleWorld } from "../support/schedule-world.ts";

const DUE = 12;
const TICKS = 4;
const HOUR_MS = 3_600_000;

const { db } = await fileDatabase();
let world: ScheduleWorld;
let person: Person;
beforeEach(async () => {
  world = await ScheduleWorld.open(db);
  person = await world.rows.person();
});

describe("ticks at once", () => {
  it("run each moment once, with one message each, and one task however often it is delivered", async () => {
    const rows = Array.from({ length: DUE }, (_, nth) =>
      world.valuesOf(person, { repeat: nth % 3 ? null : 1 }),
    );
    await db.insert(schedules).values(rows);
    await Promise.all(Array.from({ length: TICKS }, () => world.tick()));

    const runs = await world.runs(...rows.map(({ id }) => id));
    expect([runs.length, new Set(runs.map(({ scheduleId }) => scheduleId)).size]).toEqual([DUE, DUE]);
    expect(advancedRuns(world.published).toSorted()).toEqual(runs.map(({ taskId }) => taskId).toSorted());
    for (const { id, repeat } of rows) {
      const { nextRunAt, ...found } = await world.found(id);
      expect(found).toMatchObject({ runsCompleted: 1, isActive: !repeat, claimedUntil: null });
      expect((nextRunAt?.getTime() ?? 0) > Date.now()).toBe(!repeat);
    }

    await Promise.all([...runs, ...runs].map(({ taskId }) => world.advance(taskId)));
    const tasks = await world.tasksOf(person);
    expect(tasks.map(({ id }) => id).toSorted()).toEqual(runs.map(({ taskId }) => taskId).toSorted());
  });

  it("take the moments of schedules whose tick died once, when its claim is over", async () => {
    const claimed = { claimedUntil: new Date(Date.now() + HOUR_MS) };
    const rows = Array.from({ length: 8 }, () => world.valuesOf(person, claimed));
    await db.insert(schedules).values(rows);
    await world.tick();
    expect(await world.runs(...rows.map(({ id }) => id))).toEqual([]);
    await world.passTime();
    await Promise.all(Array.from({ length: TICKS }, () => world.tick()));
    expect(await world.runs(...rows.map(({ id }) => id))).toHaveLength(8);
    expect(advancedRuns(world.waiting)).toHaveLength(8);
  });

  it("count the runs of a schedule that ends after so many", async () => {
    const id = await world.schedule(person, { repeat: 3 });
    for (let moment = 0; moment < 3; moment += 1) await world.runOnce(id);
    expect(await world.found(id)).toMatchObject({
      runsCompleted: 3,
      isActive: false,
      nextRunAt: null,
      lastStatus: "success",
    });
    await world.makeDue(id);
    await world.tick();
    expect(await world.statuses(id)).toEqual(["success", "success", "success"]);
  });

  it("leave schedules alone that are paused, deleted or not due", async () => {
    const later = new Date(Date.now() + HOUR_MS);
    const ids = [
      await world.schedule(person, { isActive: false }),
      await world.schedule(person, { nextRunAt: later }),
      await world.schedule(person),
    ];
    await db.delete(schedules).where(inArray(schedules.id, ids.slice(2)));
    await world.tick();
    expect(await world.runs(...ids)).toEqual([]);
    expect(world.waiting).toEqual([]);
  });
});

describe("moments that were missed", () => {
  it("are one late run, which says how many more it stands for", async () => {
    const slot = ago(31 * MINUTE_MS);
    const id = await world.schedule(person, { nextRunAt: slot });
    await world.tick();
    await world.tick();
    const late = { isLate: true, missed: 2, status: "enqueued", scheduledFor: slot };
    expect(await world.runs(id)).toMatchObject([late]);
    const nextRunAt = new Date(slot.getTime() + 45 * MINUTE_MS);
    expect(await world.found(id)).toMatchObject({ nextRunAt, runsCompleted: 1 });
    await world.deliver();
    expect(await world.statuses(id)).toEqual(["success"]);
  });

  it("are skipped with a reason and without a task, where the schedule says so", async () => {
    const id = await world.schedule(person, { nextRunAt: ago(31 * MINUTE_MS), catchUp: "skip", repeat: 2 });
    await world.tick();
    expect(world.waiting).toEqual([]);
    const error = "The moment was missed: the service was off";
    const run = { status: "skipped", error, missed: 2, startedAt: null, finishedAt: expect.any(Date) };
    expect(await world.runs(id)).toMatchObject([run]);
    const after = await world.found(id);
    expect(after).toMatchObject({
      lastStatus: "skipped",
      lastError: error,
      runsCompleted: 0,
      isActive: true,
    });
    expect(after.nextRunAt?.getTime()).toBeGreaterThan(Date.now());
    await world.runOnce(id);
    expect(await world.statuses(id)).toEqual(["skipped", "success"]);
  });

  it("are not skipped for a delay that is short beside the schedule's pause", async () => {
    const id = await world.schedule(person, { nextRunAt: ago(5 * MINUTE_MS), catchUp: "skip" });
    await world.tick();
    expect(await world.runs(id)).toMatchObject([{ isLate: false, missed: 0, status: "enqueued" }]);
    await world.deliver();
  });

  it("end a schedule that runs once", async () => {
    const slot = ago(10 * 60 * MINUTE_MS);
    const once = { timing: { kind: "once", at: slot.toISOString() }, nextRunAt: slot, repeat: 1 } as const;
    const [made, skipped] = [
      await world.schedule(person, once),
      await world.schedule(person, { ...once, catchUp: "skip" }),
    ];
    await world.tick();
    await world.deliver();
    expect(await world.runs(made)).toMatchObject([{ status: "success", isLate: true, missed: 0 }]);
    expect(await world.runs(skipped)).toMatchObject([{ status: "skipped" }]);
    for (const id of [made, skipped]) {
      expect(await world.found(id)).toMatchObject({ isActive: false, nextRunAt: null });
    }
  });
});

describe("the decision about a moment", () => {
  type Schedule = Parameters<typeof decide>[0];
  const daily = { timing: { kind: "cron", cron: "0 9 * * *" }, timezone: "Europe/London" } as const;
  const at = (slot: Date, values: Partial<Schedule> = {}) => {
    const { anchorAt } = world.valuesOf(person, { nextRunAt: slot });
    return partOf<Schedule>({ id: newId(), anchorAt, nextRunAt: slot, ...daily, catchUp: "once", ...values });
  };

  it("moves on, also where the database's clock is ahead of the service's", () => {
    const slot = new Date("2026-06-01T08:00:00Z");
    const { next, missed, isLate } = decide(at(slot), new Date(slot.getTime() - 20));
    expect({ next, missed, isLate }).toEqual({ next: "2026-06-02T08:00:00.000Z", missed: 0, isLate: false });
  });

  it("counts a hundred missed moments at most, since each takes time", () => {
    const values = { timing: { kind: "cron", cron: "* * * * *" } } as const;
    const slot = new Date("2026-06-01T08:00:00Z");
    const counted = [3, 99, 100, 101, 40_000].map(
      (minutes) => decide(at(slot, values), new Date(slot.getTime() + minutes * MINUTE_MS)).missed,
    );
    expect(counted).toEqual([3, 99, 100, 100, 100]);
  });
});

/** A service in which a person may have one agent at work. */
function tight() {
  const deps = world.deps();
  return { ...deps, config: { ...deps.config, USER_MAX_CONCURRENT_AGENTS: 1 } };
}

/** A run whose person has as many agents at work as the limit allows. Returns it, its schedule and the task that is in its way. */
async function runWithoutRoom() {
  await world.schedule(person, { nextRunAt: ago(2_000) });
  await world.startDue();
  const [busy] = await world.tasksOf(person);
  const id = await world.schedule(person);
  await world.tick();
  const [run] = await world.runs(id);
  if (!busy || !run) throw new Error("There is no run");
  world.waiting = [];
  await world.advance(run.taskId, tight());
  return { id, run, busy };
}

it("a run for whose task there is no room is tried again each minute, and starts when there is", async () => {
  const { id, run, busy } = await runWithoutRoom();
  expect(await world.tasksOf(person)).toHaveLength(1);
  expect(world.waiting).toMatchObject([{ payload: { key: run.taskId }, delaySeconds: 60 }]);
  await world.finish(busy.id);
  await world.passTime();
  await world.deliver(tight());
  expect(await world.statuses(id)).toEqual(["success"]);
});

it("a run for whose task there was no room for an hour has failed, with the reason", async () => {
  const { id, run } = await runWithoutRoom();
  await db
    .update(scheduleRuns)
    .set({ createdAt: ago(61 * MINUTE_MS) })
    .where(eq(scheduleRuns.id, run.id));
  await world.passTime();
  await world.advance(run.taskId, tight());
  expect(await world.statuses(id)).toEqual(["failed"]);
  const lastError = expect.stringMatching(/agents/u);
  expect(await world.found(id)).toMatchObject({ isActive: true, failuresInRow: 1, lastError });
});
