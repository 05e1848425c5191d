import { eq } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { scheduleRuns } from "#src/db/schema/index.ts";
import { fileDatabase } from "#test/support/database.ts";
import { ago, MINUTE_MS, ScheduleWorld, type Person } from "../support/schedule-world.ts";

const { db } = await fileDatabase();
let world: ScheduleWorld;
let person: Person;
beforeEach(async () => {
  world = await ScheduleWorld.open(db);
  person = await world.rows.person();
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
