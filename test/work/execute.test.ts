import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { AppError } from "#src/lib/errors.ts";
import type { Outcome } from "#src/work/job.ts";
import { fileDatabase } from "#test/support/database.ts";
import { runMortal } from "#test/support/mortal.ts";
import { seeded } from "#test/support/random.ts";
import { line, PAUSES, state, ToyJobs } from "./support/toy-jobs.ts";

const { db, trips } = await fileDatabase();
let jobs: ToyJobs;
beforeEach(async () => {
  jobs = await ToyJobs.open(db);
});
afterEach(() => {
  vi.useRealTimers();
});

const done = async (): Promise<Outcome> => ({ kind: "done", writes: [line("done")] });
const failed = async (): Promise<Outcome> => ({
  kind: "failed",
  error: "No answer",
  writes: [line("tried"), state("tried")],
});

/** The database's clock goes on while it is asked: the pause is between what is left afterwards and what was before. */
function expectPause({ least, most }: { least: number; most: number }, seconds: number): void {
  expect(least).toBeLessThanOrEqual(seconds);
  expect(most).toBeGreaterThanOrEqual(seconds);
}

describe("a job", () => {
  it("is gone when it is done, after two round trips, and what it wrote stands", async () => {
    // The renewal of the lease would be one more.
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const key = await jobs.stored();
    const before = trips.db;
    expect(await jobs.execute(jobs.kind(done), key)).toBeUndefined();
    expect(trips.db - before).toBe(2);
    expect(await jobs.row(key)).toBeUndefined();
    // The message comes again.
    await jobs.execute(jobs.kind(done), key);
    expect(await jobs.lines(key)).toEqual(["done"]);
  });

  it("has writes that take from what an earlier one, by its name, has returned", async () => {
    const key = await jobs.stored();
    const writes = {
      reached: sql`${state("reached")} RETURNING toy_states.key, state`,
      noted: sql`INSERT INTO toy_lines (key, line) SELECT key, state FROM write_reached`,
    };
    await jobs.execute(
      jobs.kind(async () => ({ kind: "done", writes })),
      key,
    );
    expect([await jobs.state(key), await jobs.lines(key)]).toEqual(["reached", ["reached"]]);
  });

  it("that waits for its next attempt is done anew when it is stored again", async () => {
    const key = await jobs.stored("first");
    await jobs.execute(jobs.kind(failed), key);
    await jobs.store(key, "second");
    expect(await jobs.row(key)).toMatchObject({ attempts: 0, error: null, isDue: true });
  });

  it.each<[string, Outcome]>([
    ["done", { kind: "done", writes: [line("first")] }],
    ["failed", { kind: "failed", error: "No answer", writes: [line("first")] }],
    ["put off", { kind: "later", seconds: 60, writes: [line("first")] }],
    ["given up", { kind: "failed", error: "Gone", isFinal: true, writes: [line("first")] }],
  ])(
    "that is stored again while an executor has it is done once more, also when it is %s",
    async (_, outcome) => {
      const key = await jobs.stored("first");
      const words: string[] = [];
      const act = jobs.kind(async ({ payload: { word } }) => {
        words.push(word);
        if (word === "second") return { kind: "done", writes: [line("second")] };
        await jobs.store(key, "second");
        return outcome;
      });
      await jobs.execute(act, key);
      expect(await jobs.row(key)).toMatchObject({ attempts: 0, error: null, isDue: true, isHeld: false });
      expect(jobs.published).toEqual([
        { function: "toy", payload: { key }, deduplicationId: expect.stringContaining("after") },
      ]);
      await jobs.execute(act, key);
      expect(words).toEqual(["first", "second"]);
      expect(await jobs.lines(key)).toEqual(["first", "second"]);
      expect(await jobs.row(key)).toBeUndefined();
    },
  );

  it("that was given up is to be done anew when it is stored again", async () => {
    const key = await jobs.stored();
    const gone = jobs.kind(async () => ({ kind: "failed", error: "Gone", isFinal: true }));
    await jobs.execute(gone, key);
    await jobs.store(key, "again");
    expect(await jobs.row(key)).toMatchObject({ isGivenUp: false, attempts: 0, error: null });
    await jobs.execute(jobs.kind(done), key);
    expect(await jobs.lines(key)).toEqual(["done", "given up: Gone"]);
  });

  it("is run by one of many executors that come at once; the others hear when to come again", async () => {
    const key = await jobs.stored();
    const running = Promise.withResolvers<void>();
    let runs = 0;
    const slow = jobs.kind(async () => {
      runs += 1;
      await running.promise;
      return done();
    });
    const came = Array.from({ length: 5 }, () => jobs.execute(slow, key));
    const waits: number[] = [];
    for (const one of came) void one.then((answer) => answer && waits.push(answer.retryAfterSeconds));
    await vi.waitUntil(() => waits.length === 4);
    running.resolve();
    await Promise.all(came);
    expect(runs).toBe(1);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1);
    // One more than the lease: a statement that began before the claim may see it.
    expect(Math.max(...waits)).toBeLessThanOrEqual(11);
  });

  it("that is not due yet is not run, and its message comes again then", async () => {
    const key = await jobs.stored();
    await jobs.pass(key, -3600);
    const answer = await jobs.execute(jobs.kind(done), key);
    expect(answer?.retryAfterSeconds).toBeGreaterThan(1800);
    expect(await jobs.lines(key)).toEqual([]);
  });
});

describe("a failure", () => {
  it("is tried again after each pause of the kind, by a message that no earlier one hides, and then given up", async () => {
    const key = await jobs.stored("shared");
    const job = jobs.kind(failed);
    for (const [index, pause] of PAUSES.entries()) {
      expectPause(await jobs.pauseAfter(key, () => jobs.execute(job, key)), pause);
      expect(await jobs.row(key)).toMatchObject({
        attempts: index + 1,
        error: "No answer",
        isGivenUp: false,
        isHeld: false,
      });
      expect(await jobs.state(key)).toBe("tried");
      await jobs.pass(key, pause);
    }
    await jobs.execute(job, key);
    // Written after what the last attempt wrote to the same row.
    expect(await jobs.state(key)).toBe("given up");
    expect(await jobs.row(key)).toMatchObject({ attempts: 3, error: "No answer", isGivenUp: true });
    expect(await jobs.lines(key)).toEqual(["given up: No answer", "tried", "tried", "tried"]);
    expect(jobs.published).toMatchObject(
      PAUSES.map((delaySeconds) => ({ function: "toy", payload: { key }, delaySeconds, shareOf: "shared" })),
    );
    expect(new Set(jobs.published.map(({ deduplicationId }) => deduplicationId)).size).toBe(2);
    // What was given up is not run by a late message.
    await jobs.execute(jobs.kind(done), key);
    expect(await jobs.lines(key)).not.toContain("done");
  });

  it.each<[string, () => Promise<Outcome>, string]>([
    ["that says so", async () => ({ kind: "failed", error: "Gone", isFinal: true }), "Gone"],
    ["of a refusal", () => Promise.reject(new AppError("not_found", "No such thing")), "No such thing"],
  ])("%s is given up at once", async (_, run, error) => {
    const key = await jobs.stored();
    await jobs.execute(jobs.kind(run), key);
    expect(await jobs.row(key)).toMatchObject({ isGivenUp: true, error });
    expect(jobs.published).toEqual([]);
  });

  it("that nobody expected is tried again, and its words are not shown", async () => {
    const key = await jobs.stored();
    const failing = jobs.kind(() => Promise.reject(new Error("password=hunter2")));
    await jobs.execute(failing, key);
    expect(await jobs.row(key)).toMatchObject({ isGivenUp: false, error: "An internal error occurred" });
  });

  it("to read what the job is about is tried again: the next version may be able to", async () => {
    const key = await jobs.stored();
    await db.execute(sql`UPDATE jobs SET payload = '{}' WHERE key = ${key}`);
    await jobs.execute(jobs.kind(done), key);
    expect(await jobs.row(key)).toMatchObject({ isGivenUp: false, attempts: 1, isDue: false });
    expect((await jobs.row(key))?.error).toContain("cannot read what the job is about");
    expect(await jobs.lines(key)).toEqual([]);
    expect(jobs.published).toMatchObject([{ function: "toy", payload: { key }, delaySeconds: PAUSES[0] }]);
  });

  it("is none where there is only more to do: its attempts are counted anew", async () => {
    const key = await jobs.stored();
    const job = jobs.kind(async () => ({ kind: "later", seconds: 7 }));
    for (const _ of [...PAUSES, 1, 2]) {
      expectPause(await jobs.pauseAfter(key, () => jobs.execute(job, key)), 7);
      expect(await jobs.row(key)).toMatchObject({ attempts: 0, error: null, isGivenUp: false });
      await jobs.pass(key, 7);
    }
  });
});

describe("an executor", () => {
  it.each([
    ["that has lost its job", "takeOver"],
    ["whose job was done by another one, and stored again,", "renew"],
  ] as const)("%s writes nothing", async (_, lose) => {
    const key = await jobs.stored();
    for (const outcome of [await done(), await failed(), { kind: "later", seconds: 1 } as const]) {
      await jobs.execute(
        jobs.kind(async () => {
          await jobs[lose](key);
          return outcome;
        }),
        key,
      );
      expect(await jobs.row(key)).toMatchObject({ isHeld: true, error: null, isGivenUp: false });
      await jobs.pass(key, 11);
    }
    expect(await jobs.lines(key)).toEqual([]);
    expect(jobs.published).toEqual([]);
  });

  it("keeps its job while it runs, and hears when another has taken it over", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const key = await jobs.stored();
    await jobs.execute(
      jobs.kind(async ({ signal }) => {
        await jobs.pass(key, 60);
        await vi.advanceTimersByTimeAsync(4_000);
        await vi.waitUntil(async () => (await jobs.row(key))?.isHeld);
        expect(signal.aborted).toBe(false);
        await jobs.takeOver(key);
        await vi.advanceTimersByTimeAsync(4_000);
        await vi.waitUntil(() => signal.aborted);
        throw new Error("Stopped in the middle");
      }),
      key,
    );
    expect(await jobs.row(key)).toMatchObject({ error: null, isHeld: true });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("that has failed renews nothing any more, also by a renewal that comes late", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const key = await jobs.stored();
    const job = jobs.kind(async ({ withRenewals }) => {
      withRenewals(() => state("half done"));
      void vi.advanceTimersByTime(3_000);
      return failed();
    });
    await jobs.execute(job, key);
    await vi.waitFor(async () => expect(await jobs.row(key)).toMatchObject({ isHeld: false, isDue: false }));
    expect(await jobs.state(key)).toBe("tried");
  });

  it("that cannot renew its lease gives it up in time, though nobody says that it is lost", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const key = await jobs.stored();
    const answer = await jobs.execute(
      jobs.kind(async ({ signal, withRenewals }) => {
        withRenewals(() => {
          throw new Error("The database is away");
        });
        await vi.advanceTimersByTimeAsync(9_000);
        expect(signal.aborted).toBe(false);
        await vi.advanceTimersByTimeAsync(3_000);
        expect(signal.aborted).toBe(true);
        throw new Error("Stopped in the middle");
      }),
      key,
    );
    // The job may be nobody's: the message comes again.
    expect(answer).toEqual({ retryAfterSeconds: 1 });
    expect(await jobs.row(key)).toMatchObject({ error: null });
  });

  it("that is killed wherever it is has its job done by another one, whose lines stand once", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const random = seeded(inject("fuzzSeed"));
    const job = jobs.kind(async ({ attempt }) => (attempt < 2 ? failed() : done()));
    const kills = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const key = await jobs.stored();
        let killed = 0;
        // Its third attempt is its last: two kills leave one.
        for (let life = 0; await jobs.row(key); life += 1) {
          const kill = life < 2 ? { call: random.whole(1, 3), isDone: random.chance(0.5) } : undefined;
          killed += Number(await runMortal(kill, () => jobs.execute(job, key)));
          await jobs.pass(key, Math.max(...PAUSES));
        }
        expect((await jobs.lines(key)).filter((text) => text === "done")).toEqual(["done"]);
        return killed;
      }),
    );
    expect(kills.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(30);
  });

  it("is not the last of many that die: the job is given up with a reason", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const key = await jobs.stored();
    const job = jobs.kind(done);
    for (const _ of [...PAUSES, 1]) {
      expect(await runMortal({ call: 1, isDone: true }, () => jobs.execute(job, key))).toBe(true);
      await jobs.pass(key, 10);
    }
    await jobs.execute(job, key);
    const error = "It was interrupted too many times";
    expect(await jobs.row(key)).toMatchObject({ isGivenUp: true, error });
    expect(await jobs.lines(key)).toEqual([`given up: ${error}`]);
  });
});
