import { asc, eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { creditReservations, tasks, teams, usageLogs } from "#src/db/schema/index.ts";
import { releaseExpired, reserveCredits } from "#src/domain/metering/credits/index.ts";
import { startTask } from "#src/domain/agent-work/tasks/index.ts";
import { claimTask } from "#src/domain/agent-work/tasks/queries/claim.ts";
import { endTask, storeCompaction, storeTurn } from "#src/domain/agent-work/tasks/queries/run.ts";
import { newId } from "#src/lib/ids.ts";
import { CALL } from "#test/domain/metering/support/model-call.ts";
import { newColleague, newProject } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { messageToAgent, startDeps } from "#test/support/message-to-agent.ts";

const database = await fileDatabase();

const call = { ...CALL, purpose: "agent", cost: { input: 2, output: 1 } } as const;
const step = (iteration: number) => ({
  iteration,
  thought: null,
  response_text: "",
  tool_calls: [],
  is_complete: false,
  timestamp: new Date().toISOString(),
  usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0, cacheWriteTokens: 0 },
});

/** A person whose team has so many credits, with tasks that an executor has begun. */
async function running(credits: number, count: number) {
  const { db } = database;
  const person = await newColleague(db);
  const project = await newProject(db, person);
  const message = messageToAgent({ userId: person.id, projectId: project.id });
  for (let each = 1; each <= count; each += 1) await startTask(startDeps(db), message);
  const rows = await db.select({ id: tasks.id }).from(tasks).where(eq(tasks.userId, person.id));
  for (const { id } of rows) await claimTask(db, id, 1);
  await db
    .update(teams)
    .set({ dailyCredits: 0, signupBonusCredits: 0, purchasedCredits: credits })
    .where(eq(teams.id, project.teamId));
  const team = async () => (await db.select().from(teams).where(eq(teams.id, project.teamId)))[0];
  const left = async () => (await team())?.purchasedCredits;
  const reserved = async () => (await team())?.reservedCredits;
  const calls = () =>
    db.select().from(usageLogs).where(eq(usageLogs.userId, person.id)).orderBy(asc(usageLogs.id));
  return { ids: rows.map(({ id }) => id), left, reserved, calls, teamId: project.teamId };
}

const turn = (taskId: string, iteration: number, generation = 1) => ({
  taskId,
  generation,
  iterations: iteration,
  toolCalls: 0,
  turn: step(iteration),
  call: { ...call, number: iteration },
});

describe("a turn is paid for", () => {
  it("once, however often it is stored", async () => {
    const { ids, left, calls, teamId } = await running(100, 1);
    const [taskId = ""] = ids;
    const stored = await Promise.all(
      Array.from({ length: 10 }, () => storeTurn(database.db, turn(taskId, 1))),
    );
    expect(await left()).toBe(97);
    expect(stored.filter((each) => each?.charged)).toHaveLength(1);
    expect(await calls()).toMatchObject([
      { taskId, iteration: 1, teamId, costTotal: 3, creditsDeducted: 3, billedStatus: "credited" },
    ]);
    await storeTurn(database.db, turn(taskId, 2));
    expect(await left()).toBe(94);
  });

  it("not by an executor that was superseded", async () => {
    const { ids, left, calls } = await running(100, 1);
    const [taskId = ""] = ids;
    await claimTask(database.db, taskId, 2);
    expect(await storeTurn(database.db, turn(taskId, 1, 1))).toBeUndefined();
    expect(await left()).toBe(100);
    expect(await calls()).toEqual([]);
  });

  it("and so is each summary that it needed, once, with what it was written for", async () => {
    const { ids, left, calls } = await running(100, 1);
    const [taskId = ""] = ids;
    const summary = (number: number, generation = 1) =>
      storeCompaction(
        database.db,
        { taskId, generation },
        { summary: `account ${number}` },
        { ...call, purpose: "compaction", number },
      );
    const stored = await Promise.all([summary(1), summary(1), summary(1)]);
    expect(stored.filter((each) => each?.charged)).toMatchObject([{ charged: { deducted: 3, balance: 97 } }]);
    expect(await summary(2)).toMatchObject({ charged: { deducted: 3, balance: 94 } });
    await storeTurn(database.db, turn(taskId, 1));
    expect(await left()).toBe(91);
    expect((await calls()).map(({ purpose, iteration }) => [purpose, iteration])).toEqual([
      ["compaction", 1],
      ["compaction", 2],
      ["agent", 1],
    ]);
    // A newer executor has the task: neither is stored.
    await claimTask(database.db, taskId, 2);
    expect(await summary(3)).toBeUndefined();
    expect(await left()).toBe(91);
    const [task] = await database.db.select().from(tasks).where(eq(tasks.id, taskId));
    expect(task?.compaction).toEqual({ summary: "account 2" });
  });

  it("and what was reserved for it is released with it, by the executor that has the task", async () => {
    const { ids, left, reserved, teamId } = await running(100, 1);
    const [taskId = ""] = ids;
    const reserve = (generation: number, most: number, id = newId()) =>
      reserveCredits(database.db, { id, teamId, task: { id: taskId, generation }, least: 1, most });
    expect(await reserve(1, 60)).toBe(60);
    // One at a time for a task; of a title beside it there is another.
    expect(await reserve(1, 70)).toBe(70);
    const title = { id: newId(), teamId, task: null, least: 1, most: 9 };
    expect(await reserveCredits(database.db, title)).toBe(9);
    expect(await reserved()).toBe(79);
    await storeTurn(database.db, turn(taskId, 1));
    expect([await left(), await reserved()]).toEqual([97, 9]);

    // Killed between reserve and charge: the next executor takes over what was reserved.
    expect(await reserve(1, 50)).toBe(50);
    await database.db
      .update(creditReservations)
      .set({ expiresAt: sql`now()` })
      .where(eq(creditReservations.taskId, taskId));
    await claimTask(database.db, taskId, 2);
    await releaseExpired(database);
    expect(await reserved()).toBe(59);
    expect(await reserve(1, 5)).toBe(0);
    expect(await reserve(2, 40)).toBe(40);
    expect(await reserved()).toBe(49);
    expect(await storeTurn(database.db, turn(taskId, 2, 1))).toBeUndefined();
    expect(await reserved()).toBe(49);
    expect(await storeCompaction(database.db, { taskId, generation: 2 }, {}, undefined)).toBeDefined();
    expect(await reserved()).toBe(9);
    expect(await reserve(2, 40)).toBe(40);
    const end = { status: "failed", response: null, completionReason: "model_error", error: "" } as const;
    await endTask(startDeps(database.db), { ...turn(taskId, 2, 2), turn: undefined, call: undefined }, end);
    expect([await left(), await reserved()]).toEqual([97, 9]);
  });

  it("with the end of its task, once", async () => {
    const { ids, left } = await running(100, 1);
    const [taskId = ""] = ids;
    const end = { status: "completed", response: "Done", completionReason: "stop", error: null } as const;
    const ended = await Promise.all(
      Array.from({ length: 5 }, () => endTask(startDeps(database.db), turn(taskId, 1), end)),
    );
    expect(ended.filter(Boolean)).toMatchObject([{ charged: { deducted: 3, balance: 97 } }]);
    expect(await left()).toBe(97);
  });

  it("from credits that are there once, by many tasks of a team at the same moment", async () => {
    const { ids, left, calls } = await running(20, 10);
    expect(ids).toHaveLength(10);
    const stored = await Promise.all(ids.map((id) => storeTurn(database.db, turn(id, 1))));
    expect(await left()).toBe(0);
    expect(stored.reduce((sum, each) => sum + (each?.charged?.deducted ?? 0), 0)).toBe(20);
    const rows = await calls();
    expect(rows).toHaveLength(10);
    expect(rows.reduce((sum, { creditsDeducted }) => sum + creditsDeducted, 0)).toBe(20);
    expect(rows.filter(({ billedStatus }) => billedStatus === "pending")).toHaveLength(3);
  });
});
