import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import { taskLogs } from "#src/platform/objects/task-logs.ts";
import { newTrips } from "#src/platform/trips.ts";
import { bindings } from "../support/bindings.ts";

const namespace = bindings.TASK_LOG;
const logs = taskLogs(namespace, newTrips());

let taskId = "";
beforeEach(() => {
  taskId = crypto.randomUUID();
});

const record = (iteration: number) => ({ iteration, kind: "answer" as const, callId: "", value: "{}" });
const text = (n: number) => ({ type: "text_delta", data: JSON.stringify({ content: `piece ${n}` }) });
const done = { type: "done", data: "{}" };

async function begin(step = 1): Promise<number> {
  const begun = await logs.begin(taskId, step);
  if (begun.kind !== "run") throw new Error(`Not begun: ${begun.kind}`);
  return begun.generation;
}

const streamFor = (reader?: string) =>
  logs.stream(taskId, 0, { open: false, ...(reader !== undefined && { reader }) });

async function idsAfter(after: number): Promise<number[]> {
  const body = await (await logs.stream(taskId, after, { open: false })).text();
  return Array.from(body.matchAll(/^id: (\d+)$/gmu), ([, id]) => Number(id));
}

/** Another state of the run; the object, which keeps it in memory, wakes with it. */
async function change(assignment: string): Promise<void> {
  const stub = namespace.getByName(taskId);
  await runInDurableObject(stub, (_object, state) => {
    state.storage.sql.exec(`UPDATE run SET ${assignment}`);
  });
  await evictDurableObject(stub);
}

/** The state of the run, as it is stored. */
const run = () =>
  runInDurableObject(namespace.getByName(taskId), (_object, state) =>
    state.storage.sql.exec<Record<string, SqlStorageValue>>("SELECT * FROM run").toArray().at(0),
  );

/** As if the executor had been silent for so long. */
const silence = (ms: number) => change(`last_seen = last_seen - ${ms}`);

describe("the event log", () => {
  it("numbers events from 1 without gaps and replays from any of them, over evictions and repeated writes", async () => {
    const generation = await begin();
    await logs.append(taskId, generation, { sequence: 1, events: [text(1), text(2)] });
    await evictDurableObject(namespace.getByName(taskId));
    const addition = { sequence: 2, events: [text(3)] };
    for (const _ of ["first", "repeated"]) await logs.append(taskId, generation, addition);
    await logs.close(taskId, generation, [done], true);
    expect(await idsAfter(0)).toEqual([1, 2, 3, 4]);
    // In the middle of what was written together, too.
    expect(await idsAfter(1)).toEqual([2, 3, 4]);
    expect(await idsAfter(2)).toEqual([3, 4]);
    expect(await idsAfter(99)).toEqual([]);
  });

  it("has as many streams of one person as may be open, and any number of the service's own", async () => {
    const generation = await begin();
    const [first, second] = [await streamFor("ada"), await streamFor("ada")];
    expect((await streamFor("ada")).status).toBe(429);
    const others = [await streamFor("bob"), await streamFor(), await streamFor(), await streamFor()];
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await first.body?.cancel();
    // The next event finds that its reader has gone.
    await logs.append(taskId, generation, { sequence: 1, events: [text(1)] });
    let next = new Response(null, { status: 429 });
    await expect.poll(async () => (next = await streamFor("ada")).status).toBe(200);
    for (const { body } of [second, next, ...others]) await body?.cancel();
  });

  it("delivers what is appended while a reader follows, in frames that every client family can read", async () => {
    const generation = await begin();
    const response = await logs.stream(taskId, 0, { open: false });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const body = response.text();
    await logs.append(taskId, generation, { sequence: 1, events: [text(1)] });
    await logs.close(taskId, generation, [done], true);
    expect(await body).toMatch(
      /id: 1\nevent: text_delta\ndata: .*piece 1.*\n\nid: 2\nevent: done\ndata: \{\}\n\n$/u,
    );
  });

  it("accepts nothing after its end", async () => {
    const generation = await begin();
    await logs.close(taskId, generation, [done], true);
    const control = await logs.append(taskId, generation, { sequence: 1, events: [text(1)] });
    expect(control.stale).toBe(true);
    expect(await idsAfter(0)).toEqual([1]);
  });

  it("ends once, though what follows from the end is published by another executor", async () => {
    await logs.close(taskId, await begin(), [done], false);
    await logs.close(taskId, await begin(), [done], true);
    expect(await idsAfter(0)).toEqual([1]);
    expect(await logs.begin(taskId, 1)).toEqual({ kind: "skip" });
  });

  it("replays a log that is longer than a page of it whole", async () => {
    const generation = await begin();
    const large = { type: "text_delta", data: JSON.stringify({ content: "x".repeat(300_000) }) };
    for (let sequence = 1; sequence <= 6; sequence += 1) {
      await logs.append(taskId, generation, { sequence, events: [large, text(sequence)] });
    }
    await logs.close(taskId, generation, [done], true);
    expect(await idsAfter(0)).toEqual(Array.from({ length: 13 }, (_, index) => index + 1));
    expect(await idsAfter(4)).toEqual(Array.from({ length: 9 }, (_, index) => index + 5));
  });

  it("is not there for a task that was never begun, unless a reader opens it", async () => {
    expect((await logs.stream(taskId, 0, { open: false })).status).toBe(404);
    expect(await logs.begin(taskId, 2)).toEqual({ kind: "skip" });
    const read = (await logs.stream(taskId, 0, { open: true })).text();
    const generation = await begin();
    await logs.close(taskId, generation, [text(1), done], true);
    expect(await read).toContain("piece 1");
  });
});

describe("generations", () => {
  it("hands a silent executor's step to the next one, not a living one's, and refuses the old one's writes", async () => {
    const old = await begin();
    expect(await logs.begin(taskId, 1)).toMatchObject({ kind: "busy" });
    await silence(60_000);
    await logs.ping(taskId, old);
    expect(await logs.begin(taskId, 1)).toMatchObject({ kind: "busy" });
    await silence(60_000);
    const next = await begin();
    expect(next).toBe(old + 1);
    expect((await logs.append(taskId, old, { sequence: 1, events: [text(1)] })).stale).toBe(true);
    expect((await logs.ping(taskId, old)).stale).toBe(true);
    expect((await logs.append(taskId, next, { sequence: 1, events: [text(2)] })).stale).toBe(false);
  });

  it("does not make the next executor wait for one that gave up", async () => {
    const generation = await begin();
    await logs.release(taskId, generation);
    expect(await logs.begin(taskId, 1)).toMatchObject({ kind: "run", restarted: true, lastEventId: 0 });
  });

  it("skips a step that is behind", async () => {
    const generation = await begin();
    expect(await logs.endStep(taskId, generation)).toBe(2);
    expect(await logs.begin(taskId, 1)).toEqual({ kind: "skip" });
    expect(await logs.begin(taskId, 2)).toMatchObject({ kind: "run", restarted: false });
  });

  it("gives records of unfinished turns to the next executor and drops those of stored ones", async () => {
    const generation = await begin();
    await logs.append(taskId, generation, { sequence: 1, events: [], records: [record(1)] });
    await logs.append(taskId, generation, { sequence: 2, events: [], storedTurns: 1, records: [record(2)] });
    await logs.release(taskId, generation);
    const begun = await logs.begin(taskId, 1);
    expect(begun).toMatchObject({ kind: "run", records: [{ iteration: 2 }] });
  });

  it("gives up after five attempts without progress, and counts anew after progress", async () => {
    for (let attempt = 1; attempt <= 4; attempt += 1) await logs.release(taskId, await begin());
    const generation = await begin();
    await logs.append(taskId, generation, {
      sequence: 1,
      events: [],
      records: [{ iteration: 1, kind: "result", callId: "a", value: "{}" }],
    });
    await logs.release(taskId, generation);
    for (let attempt = 1; attempt <= 5; attempt += 1) await logs.release(taskId, await begin());
    expect(await logs.begin(taskId, 1)).toMatchObject({ kind: "exhausted", attempts: 5 });
  });
});

describe("stopping", () => {
  it("tells the executor at its next write, keeps the first reason, and returns how far the task is", async () => {
    expect(await logs.requestStop(taskId, "cancelled")).toBe("unknown");
    await logs.open(taskId);
    expect(await logs.requestStop(taskId, "cancelled")).toBe("waiting");
    const generation = await begin();
    expect(await logs.requestStop(taskId, "cancelled")).toBe("begun");
    await logs.requestStop(taskId, "key_revoked");
    expect(await logs.ping(taskId, generation)).toEqual({ stale: false, stop: "cancelled" });
    await logs.close(taskId, generation, [done], true);
    expect(await logs.requestStop(taskId, "cancelled")).toBe("closed");
  });
});

describe("a task that waits for an approval", () => {
  const HOUR = 3_600_000;

  it("is not executed before the answer, also after a redelivery or an eviction", async () => {
    const generation = await begin();
    await logs.append(taskId, generation, { sequence: 1, events: [text(1)], records: [record(1)] });
    await logs.park(taskId, generation, Date.now() + HOUR);
    await silence(60_000);
    expect(await logs.begin(taskId, 2)).toEqual({ kind: "skip" });
    await evictDurableObject(namespace.getByName(taskId));
    expect(await logs.begin(taskId, 2)).toEqual({ kind: "skip" });
    for (const _ of ["answered", "again"]) await logs.goOn(taskId, "ada");
    expect(await run()).toMatchObject({ generation: 2, step: 2, parked_until: null });
  });

  it("goes on by itself when the time is up, also after an eviction", async () => {
    const generation = await begin();
    await logs.park(taskId, generation, Date.now() + HOUR);
    await change(`parked_until = ${Date.now() - 1}`);
    expect(await runDurableObjectAlarm(namespace.getByName(taskId))).toBe(true);
    expect(await run()).toMatchObject({ generation: 2, step: 2, parked_until: null });
    await expect.poll(async () => (await run())?.executor).toBe("released");
  });

  it("finds the newest state of a call that its server answers later, and the first of all else", async () => {
    const generation = await begin();
    const deferred = (value: string) => ({ ...record(1), kind: "deferred" as const, callId: "c", value });
    for (const [place, value] of ["first", "second"].entries()) {
      const records = [deferred(value), { ...record(1), value }];
      await logs.append(taskId, generation, { sequence: place + 1, events: [], records });
    }
    await logs.park(taskId, generation, Date.now() - 1);
    const next = await logs.begin(taskId, 2);
    expect(next).toMatchObject({
      records: expect.arrayContaining([deferred("second"), { ...record(1), value: "first" }]),
    });
  });

  it.each(["after", "just before"])(
    "does not wait when it is told to stop %s it was parked",
    async (when) => {
      const generation = await begin();
      if (when === "just before") await logs.requestStop(taskId, "cancelled");
      await logs.park(taskId, generation, Date.now() + HOUR);
      if (when === "after") await logs.requestStop(taskId, "cancelled");
      const next = await runInDurableObject(namespace.getByName(taskId), (_object, state) =>
        state.storage.getAlarm(),
      );
      expect(next).toBeLessThan(Date.now() + HOUR / 2);
      expect(await logs.begin(taskId, 2)).toMatchObject({ kind: "run", stop: "cancelled" });
    },
  );

  it("is not parked by an executor that was superseded", async () => {
    const generation = await begin();
    await silence(60_000);
    await begin();
    await logs.park(taskId, generation, Date.now() + HOUR);
    await logs.goOn(taskId, "ada");
    expect(await run()).toMatchObject({ generation: 2, step: 1 });
  });
});

describe("a task that is launched", () => {
  it("is begun once, and leaves its step to the next executor when the Worker cannot execute it", async () => {
    // Here the Worker has no database, so that every step fails; and no queue.
    for (const _ of ["launched", "again"]) await logs.launch(taskId, "ada");
    expect(await run()).toMatchObject({ generation: 1, step: 1 });
    await expect.poll(async () => (await run())?.executor).toBe("released");
    expect(await logs.begin(taskId, 1)).toMatchObject({ kind: "run", generation: 2, restarted: true });
  });

  it("does nothing to a task that is further", async () => {
    const generation = await begin();
    await logs.endStep(taskId, generation);
    await logs.launch(taskId, "ada");
    expect(await run()).toMatchObject({ generation: 1, step: 2 });
  });
});

describe("the alarm", () => {
  it("keeps watching when the queue cannot be reached", async () => {
    await begin();
    await silence(60_000);
    expect(await runDurableObjectAlarm(namespace.getByName(taskId))).toBe(true);
    expect(await runDurableObjectAlarm(namespace.getByName(taskId))).toBe(true);
  });

  it("forgets the log when its time is over, and the object can start over", async () => {
    const generation = await begin();
    await logs.close(taskId, generation, [done], true);
    await change("closed_at = 0");
    expect(await runDurableObjectAlarm(namespace.getByName(taskId))).toBe(true);
    expect((await logs.stream(taskId, 0, { open: false })).status).toBe(404);
    expect(await logs.begin(taskId, 1)).toMatchObject({ kind: "run", generation: 1 });
  });
});
