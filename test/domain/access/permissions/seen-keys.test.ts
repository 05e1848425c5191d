import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { KeyCaller } from "#src/domain/access/permissions/index.ts";
import { keepKey, seenKey } from "#src/domain/access/permissions/seen-keys.ts";
import { partOf } from "#test/support/part-of.ts";

const caller = partOf<KeyCaller>({ kind: "key", keyId: "id" });

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it("a key is kept for a minute after it signed in, and no longer once it was refused", () => {
  keepKey("hash", caller);
  vi.advanceTimersByTime(59_999);
  expect(seenKey("hash")).toBe(caller);
  vi.advanceTimersByTime(1);
  expect(seenKey("hash")).toBeUndefined();
  keepKey("hash", caller);
  keepKey("hash", undefined);
  expect(seenKey("hash")).toBeUndefined();
});

it("of many keys the latest thousand are kept", () => {
  for (let n = 0; n <= 1_000; n += 1) keepKey(`hash ${n}`, caller);
  expect([seenKey("hash 0"), seenKey("hash 1"), seenKey("hash 1000")]).toEqual([undefined, caller, caller]);
});
