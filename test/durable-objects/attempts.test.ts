import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { bindings } from "./support/bindings.ts";

const namespace = bindings.RATE_LIMITER;

const window = { capacity: 100, windowMs: 900_000 };
const counter = () => namespace.getByName(`login:account:${crypto.randomUUID()}`);

/** What an object has stored, and when its alarm is due. */
function storedIn(stub: ReturnType<typeof counter>) {
  return runInDurableObject(stub, async (_, { storage }) => ({
    values: [...storage.kv.list()].length,
    alarm: await storage.getAlarm(),
  }));
}

describe("a counter of attempts", () => {
  it("lets in exactly its capacity of 200 at once", async () => {
    const limiter = counter();
    const decisions = await Promise.all(Array.from({ length: 200 }, () => limiter.takeAttempt(window)));
    const admitted = decisions.filter(({ allowed }) => allowed);
    expect(admitted).toHaveLength(100);
    expect(new Set(admitted.map(({ receipt }) => receipt)).size).toBe(100);
    expect(new Set(admitted.map(({ remaining }) => remaining)).size).toBe(100);
    const refused = decisions.find(({ allowed }) => !allowed);
    expect(refused).toMatchObject({ limit: 100, remaining: 0 });
    expect(refused?.receipt).toBeUndefined();
    expect(refused?.retryAfterSeconds).toBeGreaterThan(0);
  });

  it("remembers over an eviction", async () => {
    const limiter = counter();
    const twice = { ...window, capacity: 2 };
    const { receipt = "" } = await limiter.takeAttempt(twice);
    await limiter.takeAttempt(twice);
    await evictDurableObject(limiter);
    expect((await limiter.takeAttempt(twice)).allowed).toBe(false);
    await evictDurableObject(limiter);
    await limiter.giveBack(receipt);
    await evictDurableObject(limiter);
    expect((await limiter.takeAttempt(twice)).allowed).toBe(true);
  });

  it("stores nothing when it only counts calls", async () => {
    const limiter = counter();
    await limiter.take({ kind: "window", ...window });
    expect(await storedIn(limiter)).toEqual({ values: 0, alarm: null });
  });
});

describe("the alarm of a counter", () => {
  it("leaves an empty storage once the window has passed, and an object that goes on counting", async () => {
    const limiter = counter();
    await limiter.takeAttempt({ capacity: 1, windowMs: 1 });
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(limiter);
      expect(await storedIn(limiter)).toEqual({ values: 0, alarm: null });
    });
    const twice = { ...window, capacity: 2 };
    const again = await Promise.all(Array.from({ length: 5 }, () => limiter.takeAttempt(twice)));
    expect(again.filter(({ allowed }) => allowed)).toHaveLength(2);
    await evictDurableObject(limiter);
    expect((await limiter.takeAttempt(twice)).allowed).toBe(false);
    expect((await storedIn(limiter)).alarm).not.toBeNull();
  });
});
