import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Attempts } from "#durable-objects/rate-limiter/attempts.ts";
import { MemoryStorage } from "#test/support/memory-attempts.ts";

const START = Date.UTC(2026, 0, 1);
const window = { capacity: 5, windowMs: 60_000 };

/** What happens to a counter, each after a gap of at least so many milliseconds. */
const eventsAfter = (leastGap: number) =>
  fc.array(
    fc.record({
      gap: fc.oneof(fc.constant(0), fc.integer({ min: leastGap, max: 5_000 })),
      what: fc.oneof(
        { weight: 6, arbitrary: fc.constant({ kind: "take" as const }) },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant("giveBack" as const), nth: fc.nat(20) }) },
        { weight: 1, arbitrary: fc.constant({ kind: "evict" as const }) },
        { weight: 1, arbitrary: fc.constant({ kind: "alarm" as const }) },
      ),
    }),
    { maxLength: 120, size: "max" },
  );

describe("attempts", () => {
  it.each([
    ["", 0],
    [", less what the clock stepped back", -2_000],
  ])(
    "are never more than the capacity in any stretch of the window's length%s, those given back aside",
    async (_, leastGap) => {
      await fc.assert(
        fc.asyncProperty(eventsAfter(leastGap), async (history) => {
          const storage = new MemoryStorage();
          let attempts = new Attempts(storage);
          let [now, latest, steppedBack] = [START, START, 0];
          let admitted: { at: number; receipt: string }[] = [];
          const given: string[] = [];
          for (const { gap, what } of history) {
            now += gap;
            latest = Math.max(latest, now);
            steppedBack = Math.max(steppedBack, latest - now);
            if (what.kind === "evict") attempts = new Attempts(storage);
            if (what.kind === "alarm") await attempts.forget(now);
            if (what.kind === "giveBack") {
              const receipt = [...given, ...admitted.map((each) => each.receipt)].at(what.nth);
              if (receipt === undefined) continue;
              attempts.giveBack(receipt);
              given.push(receipt);
              admitted = admitted.filter((each) => each.receipt !== receipt);
            }
            if (what.kind !== "take") continue;
            const { allowed, receipt } = await attempts.take(window, now);
            expect(allowed).toBe(receipt !== undefined);
            if (receipt !== undefined) admitted.push({ at: now, receipt });
            // An attempt that counts no more is as old as the window by the latest time that the clock has shown.
            const inWindow = admitted.filter(({ at }) => at > now - (window.windowMs - steppedBack));
            expect(inWindow.length).toBeLessThanOrEqual(window.capacity);
          }
        }),
      );
    },
  );

  it("are refused only while the window is full", async () => {
    const attempts = new Attempts(new MemoryStorage());
    for (let count = 0; count < 5; count += 1) {
      expect(await attempts.take(window, START + count * 1000)).toMatchObject({
        allowed: true,
        limit: 5,
        remaining: 4 - count,
        resetSeconds: 60,
        retryAfterSeconds: 0,
      });
    }
    expect(await attempts.take(window, START + 10_000)).toEqual({
      allowed: false,
      limit: 5,
      remaining: 0,
      resetSeconds: 54,
      retryAfterSeconds: 50,
    });
    expect((await attempts.take(window, START + 59_999)).allowed).toBe(false);
    expect((await attempts.take(window, START + 60_000)).allowed).toBe(true);
  });
});
