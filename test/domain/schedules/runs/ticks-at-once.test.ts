import { eq, inArray } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { schedules } from "#src/db/schema/index.ts";
import { startRun } from "#src/domain/schedules/runs/index.ts";
import { openDatabase } from "#test/support/database.ts";
import { ScheduleWorld, startedRuns } from "../support/schedule-world.ts";

const DUE = 30;
const TICKS = 5;

let database: Awaited<ReturnType<typeof openDatabase>>;
let world: ScheduleWorld;
beforeAll(async () => {
  database = await openDatabase();
  world = await ScheduleWorld.open(database.db);
});
afterAll(() => database.close());

/** Runs `act` for each of these, so many at once. */
async function inGroups<T>(all: readonly T[], size: number, act: (each: T) => Promise<unknown>) {
  for (let start = 0; start < all.length; start += size)
    await Promise.all(all.slice(start, start + size).map(act));
}

describe("ticks at once", () => {
  it("run each moment once, with one message each, and one task however often it is delivered", async () => {
    const person = await world.rows.person();
    const rows = Array.from({ length: DUE }, (_, index) =>
      world.valuesOf(person, { repeat: index % 3 === 0 ? 1 : null }),
    );
    await database.db.insert(schedules).values(rows);
    await Promise.all(Array.from({ length: TICKS }, () => world.tick()));

    const runs = await world.runs(...rows.map(({ id }) => id));
    expect(new Set(runs.map(({ scheduleId }) => scheduleId)).size).toBe(DUE);
    expect(runs).toHaveLength(DUE);
    expect(startedRuns(world.published).toSorted()).toEqual(runs.map(({ id }) => id).toSorted());

    const after = await database.db.select().from(schedules).where(eq(schedules.userId, person.id));
    expect(after.map(({ runsCompleted }) => runsCompleted)).toEqual(Array.from({ length: DUE }, () => 1));
    const now = Date.now();
    const states = after.map(({ repeat, isActive, nextRunAt, claimedUntil }) => ({
      repeat,
      isActive,
      comes: nextRunAt !== null && nextRunAt.getTime() > now,
      claimedUntil,
    }));
    expect(states).toEqual(
      after.map(({ repeat }) => ({ repeat, isActive: !repeat, comes: !repeat, claimedUntil: null })),
    );

    const deps = world.deps();
    await inGroups(runs, 10, ({ id }) =>
      Promise.all([startRun(deps, id), startRun(deps, id), startRun(deps, id)]),
    );
    const tasks = await world.tasksOf(person);
    expect(tasks.map(({ id }) => id).toSorted()).toEqual(runs.map(({ taskId }) => taskId).toSorted());
    await database.db.delete(schedules).where(eq(schedules.userId, person.id));
    world.waiting = [];
  });

  it("take the moments of schedules whose tick died once, when its claim is over", async () => {
    const person = await world.rows.person();
    const claimed = { claimedUntil: new Date(Date.now() + 30_000) };
    const rows = Array.from({ length: 20 }, () => world.valuesOf(person, claimed));
    await database.db.insert(schedules).values(rows);
    await world.tick();
    expect(await world.runs(...rows.map(({ id }) => id))).toEqual([]);
    await world.passTime();
    await Promise.all(Array.from({ length: TICKS }, () => world.tick()));
    expect(await world.runs(...rows.map(({ id }) => id))).toHaveLength(20);
    expect(startedRuns(world.waiting)).toHaveLength(20);
    world.waiting = [];
  });

  it("count the runs of a schedule that ends after so many", async () => {
    const person = await world.rows.person();
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
    const person = await world.rows.person();
    const later = new Date(Date.now() + 60_000);
    const ids = [
      await world.schedule(person, { isActive: false }),
      await world.schedule(person, { nextRunAt: later }),
      await world.schedule(person),
    ];
    await database.db.delete(schedules).where(inArray(schedules.id, ids.slice(2)));
    await world.tick();
    expect(await world.runs(...ids)).toEqual([]);
    expect(world.waiting).toEqual([]);
  });
});
