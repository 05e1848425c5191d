import { eq, inArray } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { schedules } from "#src/db/schema/index.ts";
import { fileDatabase } from "#test/support/database.ts";
import { ScheduleWorld, advancedRuns } from "../support/schedule-world.ts";

const DUE = 12;
const TICKS = 4;
const HOUR_MS = 3_600_000;

const { db } = await fileDatabase();
const world = await ScheduleWorld.open(db);

describe("ticks at once", () => {
  it("run each moment once, with one message each, and one task however often it is delivered", async () => {
    const person = await world.rows.person();
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
    await db.delete(schedules).where(eq(schedules.userId, person.id));
    world.waiting = [];
  });

  it("take the moments of schedules whose tick died once, when its claim is over", async () => {
    const person = await world.rows.person();
    const claimed = { claimedUntil: new Date(Date.now() + HOUR_MS) };
    const rows = Array.from({ length: 8 }, () => world.valuesOf(person, claimed));
    await db.insert(schedules).values(rows);
    await world.tick();
    expect(await world.runs(...rows.map(({ id }) => id))).toEqual([]);
    await world.passTime();
    await Promise.all(Array.from({ length: TICKS }, () => world.tick()));
    expect(await world.runs(...rows.map(({ id }) => id))).toHaveLength(8);
    expect(advancedRuns(world.waiting)).toHaveLength(8);
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
