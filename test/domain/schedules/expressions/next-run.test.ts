import { describe, expect, it } from "vitest";
import { lateAfterMs, nextRun, parseSchedule, type Timing } from "#src/domain/schedules/expressions/index.ts";

const MINUTE_MS = 60_000;

/** The next runs of a schedule, as a clock in UTC shows them without the year. */
function runs(
  text: string,
  { timezone, after, count }: { timezone: string; after: string; count: number },
): string[] {
  const anchor = new Date(after);
  const { timing } = parseSchedule(text, { timezone, now: anchor });
  const found: string[] = [];
  let last = anchor;
  for (let nth = 0; nth < count; nth += 1) {
    const next = nextRun(timing, { timezone, after: last, anchor });
    if (!next) break;
    found.push(next.toISOString().slice(5, 16));
    last = next;
  }
  return found;
}

function inUtc(text: string, after: string, count: number): string[] {
  return runs(text, { timezone: "UTC", after, count });
}

describe("a clock that goes forward", () => {
  // London: 01:00 becomes 02:00 at 01:00 UTC. Lord Howe: 02:00 becomes 02:30 at 15:30 UTC.
  it.each([
    ["Europe/London", "2026-03-29T00:10Z", "30 1 * * *", ["03-29T01:00", "03-30T00:30", "03-31T00:30"]],
    ["Australia/Lord_Howe", "2026-10-03T14:50Z", "15 2 * * *", ["10-03T15:30", "10-04T15:15", "10-05T15:15"]],
  ])("in %s runs a time that it leaves out once, right after the gap", (timezone, after, text, expected) => {
    expect(runs(text, { timezone, after, count: 3 })).toEqual(expected);
  });

  it.each([
    ["Europe/London", "2026-03-29T00:20Z", ["03-29T00:30", "03-29T00:45", "03-29T01:00", "03-29T01:15"]],
    [
      "Australia/Lord_Howe",
      "2026-10-03T15:01Z",
      ["10-03T15:15", "10-03T15:30", "10-03T15:45", "10-03T16:00"],
    ],
  ])("in %s keeps the pace of a schedule of every quarter", (timezone, after, expected) => {
    expect(runs("*/15 * * * *", { timezone, after, count: 4 })).toEqual(expected);
  });

  it("runs several times that it leaves out once, and not again at the time that the gap ends with", () => {
    const inNewYork = { timezone: "America/New_York", after: "2026-03-08T06:10Z", count: 2 };
    expect(runs("*/10 2 * * *", inNewYork)).toEqual(["03-08T07:00", "03-09T06:00"]);
    expect(runs("0,30 2-3 * * *", { ...inNewYork, count: 3 })).toEqual([
      "03-08T07:00",
      "03-08T07:30",
      "03-09T06:00",
    ]);
  });

  it("runs a time that it leaves out at the end of a day when the next begins", () => {
    // Nuuk: Saturday 28 March 2026 ends at 23:00, which is midnight at once.
    const inNuuk = { timezone: "America/Nuuk", after: "2026-03-28T12:00Z", count: 2 };
    expect(runs("30 23 * * *", inNuuk)).toEqual(["03-29T01:00", "03-30T00:30"]);
    expect(runs("30 23 * * 6", inNuuk)).toEqual(["03-29T01:00", "04-05T00:30"]);
  });
});

describe("a clock that goes back", () => {
  // London: 02:00 becomes 01:00 at 01:00 UTC. Lord Howe: 02:00 becomes 01:30 at 15:00 UTC.
  it.each([
    ["Europe/London", "2026-10-24T23:50Z", "30 1 * * *", ["10-25T00:30", "10-26T01:30"]],
    ["Australia/Lord_Howe", "2026-04-04T14:10Z", "45 1 * * *", ["04-04T14:45", "04-05T15:15"]],
  ])("in %s runs a time that it shows twice once, at the first", (timezone, after, text, expected) => {
    expect(runs(text, { timezone, after, count: 2 })).toEqual(expected);
  });

  it("does not run such a time when asked between the two", () => {
    const between = { timezone: "Europe/London", after: "2026-10-25T01:10Z", count: 1 };
    expect(runs("30 1 * * *", between)).toEqual(["10-26T01:30"]);
    expect(runs("*/15 0-4 * * *", between)).toEqual(["10-25T02:00"]);
  });

  it.each([
    ["Europe/London", "2026-10-25T00:20Z", ["10-25T00:30", "10-25T00:45", "10-25T01:00", "10-25T01:15"]],
    [
      "Australia/Lord_Howe",
      "2026-04-04T14:31Z",
      ["04-04T14:45", "04-04T15:00", "04-04T15:15", "04-04T15:30"],
    ],
  ])("in %s keeps the pace of a schedule of every quarter", (timezone, after, expected) => {
    expect(runs("every 15m", { timezone, after, count: 4 })).toEqual(expected);
  });

  it.each(["hourly", "every 1h", "0 0-23 * * *", "0 */1 * * *"])("keeps the pace of '%s'", (text) => {
    expect(runs(text, { timezone: "America/New_York", after: "2026-11-01T04:50Z", count: 4 })).toEqual([
      "11-01T05:00",
      "11-01T06:00",
      "11-01T07:00",
      "11-01T08:00",
    ]);
  });
});

describe("the calendar", () => {
  it("has leap days, and none in 2100", () => {
    expect(inUtc("0 0 29 2 *", "2026-01-01T00:00Z", 2)).toEqual(["02-29T00:00", "02-29T00:00"]);
    const { timing } = parseSchedule("0 0 29 2 *", { timezone: "UTC", now: new Date() });
    const after = new Date("2096-02-29T00:00:00Z");
    expect(nextRun(timing, { timezone: "UTC", after, anchor: after })).toEqual(
      new Date("2104-02-29T00:00:00Z"),
    );
    expect(inUtc("daily at 9am", "2028-02-28T10:00Z", 2)).toEqual(["02-29T09:00", "03-01T09:00"]);
    expect(inUtc("daily at 9am", "2027-02-28T10:00Z", 1)).toEqual(["03-01T09:00"]);
  });

  it("has a 31st in seven months", () => {
    expect(inUtc("monthly on the 31st at 9am", "2026-12-31T09:00Z", 4)).toEqual([
      "01-31T09:00",
      "03-31T09:00",
      "05-31T09:00",
      "07-31T09:00",
    ]);
  });

  it("has the local date, not that of UTC", () => {
    const inNewYork = { timezone: "America/New_York", after: "2026-11-30T12:00Z", count: 2 };
    expect(runs("0 22 30 * *", inNewYork)).toEqual(["12-01T03:00", "12-31T03:00"]);
  });

  it("takes a day of the month and a weekday as alternatives where both are restricted", () => {
    expect(inUtc("0 0 13 * 5", "2026-11-01T00:00Z", 5)).toEqual([
      "11-06T00:00",
      "11-13T00:00",
      "11-20T00:00",
      "11-27T00:00",
      "12-04T00:00",
    ]);
    expect(inUtc("0 0 13 12 1", "2026-12-08T00:00Z", 3)).toEqual([
      "12-13T00:00",
      "12-14T00:00",
      "12-21T00:00",
    ]);
    // A field with all its values restricts nothing, however it is written.
    expect(inUtc("0 0 1-31 * 1", "2026-12-08T00:00Z", 1)).toEqual(["12-14T00:00"]);
  });

  it.each([
    ["0 0 * * 0", "0 0 * * 7"],
    ["0 0 * * 6-1", "0 0 * * 0,1,6"],
    ["0 22-2/2 * * *", "0 0,2,22 * * *"],
    ["5/20 * * * *", "5,25,45 * * * *"],
    ["0 9 * 11-2 *", "0 9 * 1,2,11,12 *"],
  ])("runs '%s' as '%s'", (one, other) => {
    expect(inUtc(one, "2026-11-24T00:00Z", 60)).toEqual(inUtc(other, "2026-11-24T00:00Z", 60));
  });
});

describe("the next run", () => {
  const every45: Timing = { kind: "interval", minutes: 45 };
  const anchor = new Date("2026-11-24T10:07:30Z");
  const next = (timing: Timing, after: Date): Date | undefined =>
    nextRun(timing, { timezone: "UTC", after, anchor });

  it("of an interval is on the grid of its anchor, also after missed slots", () => {
    expect(next(every45, anchor)).toEqual(new Date("2026-11-24T10:52:30Z"));
    expect(next(every45, new Date("2026-11-24T10:52:30Z"))).toEqual(new Date("2026-11-24T11:37:30Z"));
    const muchLater = new Date(anchor.getTime() + 1_000_000.5 * 45 * MINUTE_MS);
    expect(next(every45, muchLater)).toEqual(new Date(anchor.getTime() + 1_000_001 * 45 * MINUTE_MS));
  });

  it("of an interval is never before its first slot", () => {
    expect(next(every45, new Date("2020-01-01T00:00:00Z"))).toEqual(new Date("2026-11-24T10:52:30Z"));
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
    const begun = process.cpuUsage();
    for (let year = 2000; year < 2200; year += 1) {
      next({ kind: "cron", cron: "59 23 29 2 0-6" }, new Date(Date.UTC(year, 2, 1)));
    }
    for (let nth = 0; nth < 1000; nth += 1) {
      const cron = `${nth % 60} ${nth % 24} * * ${nth % 7}`;
      nextRun({ kind: "cron", cron }, { timezone: "Europe/London", after: anchor, anchor });
    }
    // Takes a part of a second of the processor; a search minute by minute takes minutes.
    const { user, system } = process.cpuUsage(begun);
    expect((user + system) / 1e6).toBeLessThan(20);
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
