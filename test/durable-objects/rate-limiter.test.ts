import { describe, expect, it } from "vitest";
import { bindings } from "./support/bindings.ts";

const namespace = bindings.RATE_LIMITER;

const window = { kind: "window", capacity: 100, windowMs: 60_000 } as const;
/** Refilled by one call an hour: by none while a test runs. */
const bucket = { kind: "bucket", capacity: 60, perSecond: 1 / 3600 } as const;

describe.each([window, bucket])("a $kind of $capacity", (limit) => {
  it("lets in exactly its capacity of 150 calls at once", async () => {
    const limiter = namespace.getByName(`user:${crypto.randomUUID()}`);
    const decisions = await Promise.all(Array.from({ length: 150 }, () => limiter.take(limit)));
    expect(decisions.filter((decision) => decision.allowed)).toHaveLength(limit.capacity);
    const remaining = decisions.filter(({ allowed }) => allowed).map((decision) => decision.remaining);
    expect(new Set(remaining).size).toBe(limit.capacity);
  });
});

it("counts the events of one person's channels, for each and together", async () => {
  const limiter = namespace.getByName(`events:${crypto.randomUUID()}`);
  const limits = { channel: 150, owner: 200 };
  const take = async (channelId: string) => limiter.takeEvents({ channelId, wanted: 100, limits });
  expect(await take("one")).toEqual({ taken: 100, retryAfterSeconds: 0 });
  expect(await take("one")).toMatchObject({ taken: 50, retryAfterSeconds: expect.any(Number) });
  expect(await take("other")).toMatchObject({ taken: 50 });
  const { taken, retryAfterSeconds } = await take("other");
  expect(taken).toBe(0);
  expect(retryAfterSeconds).toBeGreaterThan(0);
});
