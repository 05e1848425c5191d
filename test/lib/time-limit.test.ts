import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { timeLimit, within } from "#src/lib/time-limit.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

describe("a time limit", () => {
  it("aborts its signal when the time is over", () => {
    using limit = timeLimit(100);
    vi.advanceTimersByTime(99);
    expect(limit.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(limit.signal.reason).toMatchObject({ name: "TimeoutError" });
  });

  it("also aborts with its caller's signal", () => {
    const caller = new AbortController();
    using limit = timeLimit(100, caller.signal);
    caller.abort("gone");
    expect(limit.signal.reason).toBe("gone");
    using later = timeLimit(100, caller.signal);
    expect(later.signal.reason).toBe("gone");
  });

  it("leaves nothing behind", () => {
    const caller = new AbortController();
    const limit = timeLimit(100, caller.signal);
    expect(vi.getTimerCount()).toBe(1);
    limit[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
    caller.abort();
    expect(limit.signal.aborted).toBe(false);
  });
});

describe("work within a time", () => {
  it("gives its result, or fails as it does", async () => {
    expect(await within(100, Promise.resolve(undefined))).toEqual({ value: undefined });
    await expect(within(100, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("gives nothing when it takes longer", async () => {
    const late = within(100, new Promise(() => {}));
    vi.advanceTimersByTime(100);
    expect(await late).toBeUndefined();
  });
});
