import { describe, expect, it } from "vitest";
import { decide } from "#src/domain/schedules/runs/tick.ts";
import { newId } from "#src/lib/ids.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";
import { ago, MINUTE_MS, ScheduleWorld } from "../support/schedule-world.ts";

const { db } = await fileDatabase();
const world = await ScheduleWorld.open(db);
const person = await world.rows.person();

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
