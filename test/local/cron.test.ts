import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startCron } from "#local/cron.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
});

let cron: ReturnType<typeof startCron> | undefined;
afterEach(() => {
  cron?.close();
  vi.useRealTimers();
});

/** Starts the triggers at a moment, and waits for the run that follows every start: `first`. `ran` has the later ones. */
async function started(at: string, expressions: readonly string[], run?: () => Promise<void>) {
  vi.setSystemTime(at);
  const ran: string[] = [];
  const lines: string[] = [];
  cron = startCron({
    expressions,
    run: async (expression) => {
      ran.push(expression);
      await run?.();
    },
    log: (line) => lines.push(line),
  });
  await vi.advanceTimersByTimeAsync(1_000);
  return { cron, ran, lines, first: ran.splice(0) };
}

describe("the cron triggers of this machine", () => {
  it("run all once after the start, and again when they are asked to", async () => {
    const triggers = ["*/5 * * * *", "17 3 * * *"];
    const { cron: running, ran, first } = await started("2026-03-01T10:06:30Z", triggers);
    expect(first).toEqual(triggers);
    expect(ran).toEqual([]);
    running.again();
    expect(ran).toEqual(triggers);
  });

  it.each([
    ["*/5 * * * *", "2026-03-01T10:05", true],
    ["*/5 * * * *", "2026-03-01T10:07", false],
    ["10-20/5,40 * * * *", "2026-03-01T00:15", true],
    ["10-20/5,40 * * * *", "2026-03-01T00:40", true],
    ["10-20/5,40 * * * *", "2026-03-01T00:16", false],
    // 1 March 2026 is a Sunday, whose number at Cloudflare is 1.
    ["0 0 * * 1", "2026-03-01T00:00", true],
    ["0 0 * * 7", "2026-02-28T00:00", true],
    ["0 0 15 * 1", "2026-03-15T00:00", true],
    ["0 0 15 * 1", "2026-03-16T00:00", false],
  ])("%s in the minute %s: %s", async (expression, minute, due) => {
    const at = Date.parse(`${minute}:00Z`);
    const { ran } = await started(new Date(at - 30_000).toISOString(), [expression]);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(ran).toEqual(due ? [expression] : []);
  });

  it("run in every minute that matches, also when a timer is late", async () => {
    const { ran } = await started("2026-03-01T10:06:30Z", ["* * * * *"]);
    await vi.advanceTimersByTimeAsync(29_000);
    vi.setSystemTime("2026-03-01T10:07:59.500Z");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ran).toEqual(["* * * * *", "* * * * *"]);
  });

  it("report a run that failed, and go on", async () => {
    const { lines } = await started("2026-03-01T10:06:30Z", ["* * * * *"], () =>
      Promise.reject(new Error("no database")),
    );
    await vi.advanceTimersByTimeAsync(29_000);
    expect(lines).toEqual(Array(2).fill("Cron * * * * *: Error: no database"));
  });

  it.each(["0 0 * * 0", "0 0 * * 8", "0 0 31 2 *", "0 9 * * MON", "@daily"])("refuse %s", (expression) => {
    const start = () => startCron({ expressions: [expression], run: async () => {}, log: () => {} });
    expect(start).toThrow(`The cron trigger ${expression} is not understood`);
  });
});
