import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newId } from "#src/lib/ids.ts";
import { Superseded } from "#src/work/job.ts";
import { fileDatabase } from "#test/support/database.ts";
import { runMortal } from "#test/support/mortal.ts";
import { line, PAUSES, ToyJobs } from "./support/toy-jobs.ts";

const { db, trips } = await fileDatabase();
let jobs: ToyJobs;
beforeEach(async () => {
  jobs = await ToyJobs.open(db);
});
afterEach(() => {
  vi.useRealTimers();
});

/** A stage that says how the toy's own row stands, and returns it. */
const reaching = (key: string, text: string) => (isHeld: ReturnType<typeof sql<boolean>>) =>
  [
    db.execute<{ state: string }>(
      sql`UPDATE toy_states SET state = ${text}::text WHERE key = ${key}::text AND ${isHeld} RETURNING state`,
    ),
    db.execute(sql`INSERT INTO toy_lines (key, line) SELECT ${key}::text, ${text}::text WHERE ${isHeld}`),
  ] as const;

describe("a stage of a job", () => {
  it("is stored in one round trip that renews the lease and returns what its statements do", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const key = await jobs.stored();
    const job = jobs.kind(async ({ store }) => {
      await jobs.pass(key, 60);
      const before = trips.db;
      const [row] = await store(reaching(key, "half done"));
      expect(trips.db - before).toBe(1);
      expect(row.rows).toEqual([{ state: "half done" }]);
      expect(await jobs.row(key)).toMatchObject({ isHeld: true });
      return { kind: "done" };
    });
    await jobs.execute(job, key);
    expect(await jobs.lines(key)).toEqual(["half done"]);
  });

  it("of an executor that has lost its job is not stored, and the executor hears of it", async () => {
    const key = await jobs.stored();
    let heard: unknown;
    const job = jobs.kind(async ({ store, signal }) => {
      await jobs.takeOver(key);
      const error = await store(reaching(key, "late")).catch((cause: unknown) => cause);
      heard = signal.reason;
      throw error;
    });
    expect(await jobs.execute(job, key)).toEqual({ retryAfterSeconds: 1 });
    expect(heard).toBeInstanceOf(Superseded);
    expect(await jobs.state(key)).toBe("stored");
    expect(await jobs.lines(key)).toEqual([]);
  });

  it("of an executor whose job was dropped is not stored, and nothing is left to do", async () => {
    const key = await jobs.stored();
    const job = jobs.kind(async ({ store }) => {
      await jobs.drop(key);
      await store(reaching(key, "late"));
      return { kind: "done" };
    });
    expect(await jobs.execute(job, key)).toEqual({ retryAfterSeconds: 1 });
    expect(await jobs.execute(job, key)).toBeUndefined();
    expect(await jobs.state(key)).toBe("ended");
    expect(await jobs.lines(key)).toEqual([]);
  });

  it("that is progress has the attempts counted anew, with this one as the first", async () => {
    const key = await jobs.stored();
    const failing = jobs.kind(async () => ({ kind: "failed", error: "No answer" }));
    for (const pause of PAUSES) {
      await jobs.execute(failing, key);
      await jobs.pass(key, pause);
    }
    const seen: unknown[] = [];
    const further = jobs.kind(async (attempt) => {
      seen.push([attempt.attempt, attempt.isLast]);
      await attempt.store(reaching(key, "further"), { isProgress: true });
      seen.push([attempt.attempt, attempt.isLast]);
      return { kind: "failed", error: "No answer" };
    });
    await jobs.execute(further, key);
    expect(seen).toEqual([
      [3, true],
      [1, false],
    ]);
    expect(await jobs.row(key)).toMatchObject({ attempts: 1, isGivenUp: false });
  });
});

describe("an attempt", () => {
  it("begins with what its kind writes, once for each executor, which its kind reads", async () => {
    const key = await jobs.stored();
    const seen: unknown[] = [];
    const job = jobs.kind(async ({ read }) => {
      seen.push(...read.rows.map(({ claims }) => claims));
      // A delivery while this executor has the job.
      await jobs.execute(job, key);
      return { kind: "failed", error: "No answer" };
    });
    await jobs.execute(job, key);
    await jobs.pass(key, PAUSES[0]);
    await jobs.execute(job, key);
    expect(seen).toEqual([1, 2]);
  });

  it("writes as the last one where nothing was stored again meanwhile, and the next one is the first", async () => {
    const key = await jobs.stored();
    const last = sql`INSERT INTO toy_lines (key, line) SELECT key, 'last' FROM job WHERE NOT stored_again`;
    const attempts: number[] = [];
    const job = jobs.kind(async ({ attempt, store }) => {
      if (attempts.push(attempt) === 1) await jobs.store(key, "word");
      await store(reaching(key, "further"), { isProgress: true });
      return { kind: "done", writes: [last] };
    });
    await jobs.execute(job, key);
    expect(await jobs.lines(key)).toEqual(["further"]);
    await jobs.execute(job, key);
    expect(await jobs.lines(key)).toEqual(["further", "further", "last"]);
    expect(attempts).toEqual([1, 1]);
  });

  it("is told with each renewal what its kind reads", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const key = await jobs.stored();
    const job = jobs.kind(async ({ read, onRenewal }) => {
      const states = read.rows.map(({ state }) => state);
      onRenewal(({ rows }) => states.push(...rows.map(({ state }) => state)));
      await db.execute(sql`UPDATE toy_states SET state = 'cancelled' WHERE key = ${key}`);
      await vi.advanceTimersByTimeAsync(3_000);
      await vi.waitUntil(() => states.length === 2);
      expect(states).toEqual(["stored", "cancelled"]);
      return { kind: "done" };
    });
    await jobs.execute(job, key);
    expect(await jobs.row(key)).toBeUndefined();
  });

  it("is not tried again before the moment that its failure names", async () => {
    const key = await jobs.stored();
    const failing = jobs.kind(async () => ({ kind: "failed", error: "Too many", notBeforeSeconds: 90 }));
    const { least, most } = await jobs.pauseAfter(key, () => jobs.execute(failing, key));
    expect([least <= 90, most >= 90]).toEqual([true, true]);
  });

  it("does what comes after its outcome once that is stored, and nothing when another has the job", async () => {
    const after: string[] = [];
    const [kept, lost] = [await jobs.stored(), await jobs.stored()];
    const job = jobs.kind(async ({ payload }) => ({
      kind: "done",
      writes: [line(payload.word)],
      afterwards: async () => void after.push((await jobs.lines(kept)).join()),
    }));
    await jobs.execute(job, kept);
    const losing = jobs.kind(async () => {
      await jobs.takeOver(lost);
      return { kind: "done", afterwards: async () => void after.push("lost") };
    });
    await jobs.execute(losing, lost);
    expect(after).toEqual(["word"]);
  });

  it("knows whether the one before it left no outcome, until it gets further, and when its job was stored", async () => {
    const key = await jobs.stored();
    const seen: boolean[] = [];
    const job = jobs.kind(async (attempt) => {
      seen.push(attempt.isTakeover);
      expect(Math.abs(Date.now() - attempt.storedAt)).toBeLessThan(60_000);
      if (seen.length === 2) {
        await attempt.store(reaching(key, "further"), { isProgress: true });
        seen.push(attempt.isTakeover);
      }
      return { kind: "failed", error: "No answer" };
    });
    await runMortal({ call: 1, isDone: true }, () => jobs.execute(job, key));
    for (const pause of [10, ...PAUSES]) {
      await jobs.pass(key, pause);
      await jobs.execute(job, key);
    }
    expect(seen).toEqual([true, false, false]);
  });

  it("whose executors have all died is ended as its kind says", async () => {
    const key = await jobs.stored();
    let runs = 0;
    const job = jobs.kind(
      async () => {
        runs += 1;
        return { kind: "done" };
      },
      async ({ isLast }) => ({ kind: "done", writes: [line(`interrupted, last: ${isLast}`)] }),
    );
    for (const _ of [...PAUSES, 1]) {
      await runMortal({ call: 1, isDone: true }, () => jobs.execute(job, key));
      await jobs.pass(key, 10);
    }
    await jobs.execute(job, key);
    expect(runs).toBe(0);
    expect(await jobs.lines(key)).toEqual(["interrupted, last: true"]);
    expect(await jobs.row(key)).toBeUndefined();
  });
});

const late = () => db.execute(sql`UPDATE toy_states SET state = 'late'`);
const failing = async () => {
  throw new Error("No files");
};

describe("a job that is executed as it is stored", () => {
  it("takes no further round trip, and is run once its storing was told", async () => {
    const [key, told] = [newId(), [] as string[]];
    const before = trips.db;
    const act = jobs.kind(async ({ read: { rows }, attempt }) => {
      told.push(`run ${rows[0]?.state} ${attempt}`);
      return { kind: "done" };
    });
    await jobs.executeStored(act, key, async (id) => void told.push(id));
    expect([told, trips.db - before]).toEqual([[key, "run stored 1"], 2]);
    expect(await jobs.row(key)).toBeUndefined();
  });

  it("reads again where its storing was told for long", async () => {
    const states: unknown[] = [];
    const act = jobs.kind(async ({ read: { rows } }) => {
      states.push(rows[0]?.state);
      return { kind: "done" };
    });
    await jobs.executeStored(act, newId(), late, { readsAgain: true });
    await jobs.executeStored(act, newId(), late);
    expect(states).toEqual(["late", "stored"]);
  });

  it("is left to another attempt, the first, when what follows its storing fails", async () => {
    const key = newId();
    const attempts: number[] = [];
    const act = jobs.kind(async ({ attempt, isTakeover }) => {
      attempts.push(isTakeover ? Infinity : attempt);
      return { kind: "done" };
    });
    await expect(jobs.executeStored(act, key, failing)).rejects.toThrow("No files");
    expect(await jobs.row(key)).toMatchObject({ isHeld: false });
    expect(jobs.published).toMatchObject([{ payload: { key } }]);
    await jobs.pass(key, 1);
    await jobs.execute(act, key);
    expect(attempts).toEqual([1]);
  });
});

describe("a job that others wait for", () => {
  const ending = ["done", "given up"] as const;
  it.each(ending)(
    "has the next one due and published when it is %s, and by the executor that has it alone",
    async (how) => {
      const [first, next] = [await jobs.stored(), await jobs.stored()];
      await jobs.pass(next, -60);
      const outcome =
        how === "done"
          ? ({ kind: "done", writes: [line("done")] } as const)
          : ({ kind: "failed", error: "Gone", isFinal: true } as const);
      const lost = jobs.kind(
        async () => {
          await jobs.takeOver(first);
          return outcome;
        },
        undefined,
        { [first]: next },
      );
      await jobs.execute(lost, first);
      expect(jobs.published).toEqual([]);
      expect(await jobs.row(next)).toMatchObject({ isDue: false });
      await jobs.pass(first, 10);
      await jobs.execute(
        jobs.kind(async () => outcome, undefined, { [first]: next }),
        first,
      );
      expect(await jobs.row(next)).toMatchObject({ isDue: true, isHeld: false });
      expect(jobs.published).toMatchObject([{ function: "toy", payload: { key: next }, shareOf: "shared" }]);
    },
  );

  it("leaves one that an executor is looking at to that executor, which has it done once more", async () => {
    const [first, next] = [await jobs.stored(), await jobs.stored()];
    const waiting = jobs.kind(async () => {
      await jobs.execute(
        jobs.kind(async () => ({ kind: "done" }), undefined, { [first]: next }),
        first,
      );
      expect(jobs.published).toEqual([]);
      return { kind: "later", seconds: 60 };
    });
    await jobs.execute(waiting, next);
    expect(await jobs.row(next)).toMatchObject({ isDue: true, isHeld: false });
    expect(jobs.published).toMatchObject([{ payload: { key: next } }]);
  });
});
