import { eq } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { adminActions, jobs } from "#src/db/schema/index.ts";
import { dropJob, pageOfGivenUp, retryJobs } from "#src/domain/administration/jobs/index.ts";
import { createLog } from "#src/platform/log/log.ts";
import { fileDatabase } from "#test/support/database.ts";
import { newPerson } from "#test/support/people.ts";
import { keptQueue } from "#test/support/kept-queue.ts";

const { db } = await fileDatabase();
let by: { adminId: string; address: string };
beforeEach(async () => {
  await db.delete(jobs);
  const { user } = await newPerson(db);
  by = { adminId: user.id, address: "192.0.2.1" };
});

/** Stores jobs, each given up a second after the one before. */
async function givenUp(kind: string, ...keys: string[]) {
  const rows = keys.map((key, second) => ({
    kind,
    key,
    payload: {},
    attempts: 9,
    lastError: "No answer",
    share: "a person",
    failedAt: new Date(1_000_000 + second * 1000),
  }));
  await db.insert(jobs).values(rows);
}

const kept = keptQueue();
const { published } = kept;
const deps = () => {
  published.length = 0;
  return { db, queue: kept.queue, log: createLog() };
};

const listed = async (kind?: string) => {
  const { jobs: found, total } = await pageOfGivenUp(db, kind, { limit: 2, offset: 0 });
  return { keys: found.map(({ key }) => key), total };
};

const actions = async () =>
  (await db.select().from(adminActions).where(eq(adminActions.adminId, by.adminId))).map(
    ({ actionType, targetType, targetId }) => [actionType, targetType, targetId],
  );

it("jobs that were given up are listed, all kinds or one, the last first", async () => {
  await givenUp("one", "a", "b", "c");
  await givenUp("two", "d");
  await db.insert(jobs).values({ kind: "one", key: "still to be done", payload: {} });
  expect((await listed()).total).toBe(4);
  expect(await listed("one")).toEqual({ keys: ["c", "b"], total: 3 });
});

it("one is tried again, as if it had not been tried before, and the trail says so", async () => {
  await givenUp("one", "a", "b");
  expect(await retryJobs(deps(), by, { kind: "one", key: "a" })).toBe(1);
  const [row] = await db.select().from(jobs).where(eq(jobs.key, "a"));
  expect(row).toMatchObject({ failedAt: null, attempts: 0 });
  expect(published).toMatchObject([{ function: "one", payload: { key: "a" }, shareOf: "a person" }]);
  expect(await listed()).toEqual({ keys: ["b"], total: 1 });
  expect(await actions()).toEqual([["job.retried", "job", "one/a"]]);
});

it("all of a kind are tried again, and no other", async () => {
  await givenUp("one", "a", "b");
  await givenUp("two", "c");
  expect(await retryJobs(deps(), by, { kind: "one" })).toBe(2);
  expect(new Set(published.map(({ payload }) => payload))).toEqual(new Set([{ key: "a" }, { key: "b" }]));
  expect(await listed()).toEqual({ keys: ["c"], total: 1 });
  expect(await actions()).toEqual([["job.retried", "job", "one"]]);
});

it("what is tried again while the queue accepts nothing is due all the same", async () => {
  await givenUp("one", "a");
  const queue = { publishBatch: () => Promise.reject(new Error("The queue accepts nothing")) };
  expect(await retryJobs({ ...deps(), queue }, by, { kind: "one", key: "a" })).toBe(1);
  expect(await listed()).toEqual({ keys: [], total: 0 });
});

it("one is dropped", async () => {
  await givenUp("one", "a", "b");
  await dropJob(deps(), by, { kind: "one", key: "a" });
  expect(await listed()).toEqual({ keys: ["b"], total: 1 });
  expect(await actions()).toEqual([["job.dropped", "job", "one/a"]]);
});

it("a job that was not given up is neither tried again nor dropped, and the trail says nothing", async () => {
  await db.insert(jobs).values({ kind: "one", key: "a", payload: {} });
  const job = { kind: "one", key: "a" };
  await expect(retryJobs(deps(), by, job)).rejects.toThrow("Job not found");
  await expect(retryJobs(deps(), by, { kind: "one" })).rejects.toThrow("No job of this kind");
  await expect(dropJob(deps(), by, job)).rejects.toThrow("Job not found");
  expect(published).toEqual([]);
  expect(await actions()).toEqual([]);
});
