import { describe, expect, it } from "vitest";
import { lateAfterMs, nextRun, parseSchedule, type Timing } from "#src/domain/schedules/expressions/index.ts";
import { processorMs } from "#test/support/processor-ms.ts";

const MINUTE_MS = 60_000;

/** The next sixty runs of a schedule. */
function runs(text: string): (Date | undefined)[] {
  const anchor = new Date("2026-11-24T00:00:00Z");
  const { timing } = parseSchedule(text, { timezone: "UTC", now: anchor });
  const found = [nextRun(timing, { timezone: "UTC", after: anchor, anchor })];
  while (found.length < 60)
    found.push(nextRun(timing, { timezone: "UTC", after: found.at(-1) ?? anchor, anchor }));
  return found;
}

it.each([
  ["0 0 * * 0", "0 0 * * 7"],
  ["0 0 * * 6-1", "0 0 * * 0,1,6"],
  ["0 22-2/2 * * *", "0 0,2,22 * * *"],
  ["5/20 * * * *", "5,25,45 * * * *"],
  ["0 9 * 11-2 *", "0 9 * 1,2,11,12 *"],
  // A field with all its values restricts nothing, however it is written.
  ["0 0 1-31 * 1", "0 0 * * 1"],
  ["every 1h", "0 0-23 * * *"],
])("'%s' runs as '%s'", (one, other) => {
  expect(runs(one)).toEqual(runs(other));
});

describe("a clock that changes", () => {
  // London goes forward on 29 March at 01:00 UTC and back on 25 October at 01:00 UTC; in Nuuk, 28 March ends at 23:00.
  it.each([
    [
      "runs a time that it leaves out right after the gap",
      "30 1 * * *",
      "Europe/London",
      "03-29T00:10",
      "03-29T01:00",
    ],
    ["and not again the same day", "30 1 * * *", "Europe/London", "03-29T01:00", "03-30T00:30"],
    ["also where the gap ends with the day", "30 23 * * *", "America/Nuuk", "03-28T12:00", "03-29T01:00"],
    [
      "runs a time that it shows twice at the first",
      "30 1 * * *",
      "Europe/London",
      "10-24T23:50",
      "10-25T00:30",
    ],
    ["and not at the second", "30 1 * * *", "Europe/London", "10-25T00:30", "10-26T01:30"],
    ["nor when asked between the two", "30 1 * * *", "Europe/London", "10-25T01:10", "10-26T01:30"],
    ["nor one of several hours", "*/15 0-4 * * *", "Europe/London", "10-25T01:10", "10-25T02:00"],
    ["keeps the pace of every quarter", "every 15m", "Europe/London", "10-25T00:45", "10-25T01:00"],
  ])("%s: '%s' in %s after %s is at %s", (_, text, timezone, after, expected) => {
    const now = new Date(`2026-${after}Z`);
    const { timing } = parseSchedule(text, { timezone, now });
    expect(nextRun(timing, { timezone, after: now, anchor: now })).toEqual(new Date(`2026-${expected}Z`));
  });
});

it("a leap day comes after eight years around 2100", () => {
  const timing: Timing = { kind: "cron", cron: "0 0 29 2 *" };
  const after = new Date("2096-02-29T00:00:00Z");
  expect(nextRun(timing, { timezone: "UTC", after, anchor: after })).toEqual(
    new Date("2104-02-29T00:00:00Z"),
  );
});

describe("the next run", () => {
  const every45: Timing = { kind: "interval", minutes: 45 };
  const anchor = new Date("2026-11-24T10:07:30Z");
  const next = (timing: Timing, after: Date): Date | undefined =>
    nextRun(timing, { timezone: "UTC", after, anchor });

  it("of an interval is on the grid of its anchor, also before it and after missed slots", () => {
    expect(next(every45, anchor)).toEqual(new Date("2026-11-24T10:52:30Z"));
    expect(next(every45, new Date("2026-11-24T10:52:30Z"))).toEqual(new Date("2026-11-24T11:37:30Z"));
    expect(next(every45, new Date("2020-01-01T00:00:00Z"))).toEqual(new Date("2026-11-24T10:52:30Z"));
    const muchLater = new Date(anchor.getTime() + 1_000_000.5 * 45 * MINUTE_MS);
    expect(next(every45, muchLater)).toEqual(new Date(anchor.getTime() + 1_000_001 * 45 * MINUTE_MS));
  });

  it("of a moment is that moment, until it has come", () => {
    const at = new Date("2026-12-01T00:00:00Z");
    const once: Timing = { kind: "once", at: at.toISOString() };
    expect(next(once, new Date(at.getTime() - 1))).toEqual(at);
    expect(next(once, at)).toBeUndefined();
  });

  it("is after the moment asked about, to the millisecond", () => {
    const daily: Timing = { kind: "cron", cron: "0 9 * * *" };
    const nine = new Date("2026-11-24T09:00:00Z");
    expect(next(daily, new Date(nine.getTime() - 1))).toEqual(nine);
    expect(next(daily, nine)).toEqual(new Date("2026-11-25T09:00:00Z"));
    expect(next(daily, new Date(nine.getTime() + 1))).toEqual(new Date("2026-11-25T09:00:00Z"));
  });

  it("is found without a search minute by minute", () => {
    const cost = processorMs(() => {
      for (let year = 2000; year < 2200; year += 1) {
        next({ kind: "cron", cron: "59 23 29 2 0-6" }, new Date(Date.UTC(year, 2, 1)));
      }
      for (let nth = 0; nth < 1000; nth += 1) {
        const cron = `${nth % 60} ${nth % 24} * * ${nth % 7}`;
        nextRun({ kind: "cron", cron }, { timezone: "Europe/London", after: anchor, anchor });
      }
    });
    // Takes a part of a second of the processor; a search minute by minute takes minutes.
    expect(cost).toBeLessThan(20_000);
  });
});

describe("a run is late", () => {
  const slot = new Date("2026-11-24T09:00:00Z");
  it.each([
    ["after two minutes at least", { kind: "cron", cron: "* * * * *" }, 120],
    ["after half the period", { kind: "cron", cron: "*/30 * * * *" }, 900],
    ["after half the interval", { kind: "interval", minutes: 45 }, 1350],
    ["after half the time to the next slot", { kind: "cron", cron: "0 9,11 * * *" }, 3600],
    ["after two hours at most", { kind: "cron", cron: "0 9 * * *" }, 7200],
    ["after two hours when it is the only one", { kind: "once", at: slot.toISOString() }, 7200],
  ] satisfies [string, Timing, number][])("%s", (_, timing, seconds) => {
    expect(lateAfterMs(timing, { timezone: "UTC", slot, anchor: slot })).toBe(seconds * 1000);
  });
});
