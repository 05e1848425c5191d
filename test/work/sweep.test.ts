import { beforeEach, expect, it } from "vitest";
import { fileDatabase } from "#test/support/database.ts";
import { ToyJobs } from "./support/toy-jobs.ts";

const { db } = await fileDatabase();
let jobs: ToyJobs;
beforeEach(async () => {
  jobs = await ToyJobs.open(db);
});

const sweptKeys = () => jobs.published.map(({ payload }) => payload);

it("what has been due for some seconds, and is not held, is published again", async () => {
  const lost = await jobs.stored();
  await jobs.pass(lost, 60);
  const dead = await jobs.stored();
  await jobs.takeOver(dead);
  await jobs.pass(dead, 30);
  // Due later, given up, held and just stored.
  await jobs.pass(await jobs.stored(), -3600);
  const givenUp = await jobs.stored();
  await jobs.execute(
    jobs.kind(async () => ({ kind: "failed", error: "Gone", isFinal: true })),
    givenUp,
  );
  await jobs.pass(givenUp, 60);
  const held = await jobs.stored();
  await jobs.pass(held, 60);
  await jobs.takeOver(held);
  await jobs.stored();

  await jobs.sweep();
  expect(sweptKeys()).toEqual([{ key: lost }, { key: dead }]);
  expect(jobs.published.every(({ shareOf }) => shareOf === undefined)).toBe(true);
});

it("what takes a share of the queue is given a minute, since its message may wait there, and keeps its share", async () => {
  const [young, old] = [await jobs.stored("shared"), await jobs.stored("shared")];
  await jobs.pass(young, 30);
  await jobs.pass(old, 70);
  await jobs.sweep();
  expect(jobs.published).toMatchObject([{ payload: { key: old }, shareOf: "shared" }]);
});

it("a kind that this version does not know is left to the one that does", async () => {
  await jobs.pass(await jobs.stored(), 60);
  await jobs.sweep(["another"]);
  expect(sweptKeys()).toEqual([]);
});

it("what is put off as a backstop has no message of its own: it is stored again before, or the sweep finds it", async () => {
  const key = await jobs.stored();
  await jobs.execute(
    jobs.kind(async () => ({ kind: "later", seconds: 300, isBackstop: true })),
    key,
  );
  await jobs.sweep();
  expect(jobs.published).toEqual([]);
  await jobs.pass(key, 310);
  await jobs.sweep();
  expect(sweptKeys()).toEqual([{ key }]);
});
