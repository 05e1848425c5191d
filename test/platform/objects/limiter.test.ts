import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Limiter } from "#durable-objects/rate-limiter/limiter.ts";

const START = Date.UTC(2026, 0, 1);
/** Gaps between calls, in milliseconds. */
const gaps = fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 200, size: "max" });

describe("a window", () => {
  const limit = { kind: "window", capacity: 5, windowMs: 60_000 } as const;

  it("never lets in more than its capacity in any stretch of its length, and keeps its word about when to come back", () => {
    fc.assert(
      fc.property(gaps, (gapsMs) => {
        const limiter = new Limiter();
        const admitted: number[] = [];
        let now = START;
        for (const gap of gapsMs) {
          now += gap;
          const { allowed, retryAfterSeconds } = limiter.take(limit, now);
          if (!allowed) now += retryAfterSeconds * 1000;
          if (allowed || limiter.take(limit, now).allowed) admitted.push(now);
        }
        expect(admitted).toHaveLength(gapsMs.length);
        const tooSoon = admitted.filter(
          (at, index) => at - (admitted[index - limit.capacity] ?? 0) < limit.windowMs,
        );
        expect(tooSoon).toEqual([]);
      }),
    );
  });

  it("is whole again after the seconds it names", () => {
    const limiter = new Limiter();
    for (let call = 0; call < 4; call += 1) limiter.take(limit, START + call * 1000);
    const last = limiter.take(limit, START + 20_000);
    expect(last).toEqual({ allowed: true, limit: 5, remaining: 0, resetSeconds: 60, retryAfterSeconds: 0 });
    expect(limiter.take(limit, START + 80_000).remaining).toBe(4);
  });

  it("obeys a lowered limit at the next call, and names the right moment", () => {
    const limiter = new Limiter();
    for (let call = 0; call < 5; call += 1) limiter.take(limit, START + call * 10_000);
    const refused = limiter.take({ ...limit, capacity: 2 }, START + 50_000);
    expect(refused).toMatchObject({ allowed: false, remaining: 0, retryAfterSeconds: 40 });
    expect(limiter.take({ ...limit, capacity: 2 }, START + 90_000).allowed).toBe(true);
  });
});

describe("a bucket", () => {
  const limit = { kind: "bucket", capacity: 60, perSecond: 1 } as const;

  it("lets in a burst, then one call a second", () => {
    const limiter = new Limiter();
    for (let call = 0; call < 60; call += 1) expect(limiter.take(limit, START).allowed).toBe(true);
    expect(limiter.take(limit, START)).toEqual({
      allowed: false,
      limit: 60,
      remaining: 0,
      resetSeconds: 60,
      retryAfterSeconds: 1,
    });
    expect(limiter.take(limit, START + 999).allowed).toBe(false);
    expect(limiter.take(limit, START + 1000).allowed).toBe(true);
    expect(limiter.take(limit, START + 1000).allowed).toBe(false);
  });

  it("gives nothing for a clock that steps back, and takes nothing", () => {
    const limiter = new Limiter();
    for (let call = 0; call < 60; call += 1) limiter.take(limit, START);
    expect(limiter.take(limit, START - 3_600_000).allowed).toBe(false);
    expect(limiter.take(limit, START).allowed).toBe(false);
    expect(limiter.take(limit, START + 1000).allowed).toBe(true);
  });
});
