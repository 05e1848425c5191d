import { describe, expect, it } from "vitest";
import {
  nextRun,
  parseSchedule,
  requireTimezone,
  type Parsed,
} from "#src/domain/schedules/expressions/index.ts";
import { fieldsOf } from "#test/support/fields.ts";

const NOW = new Date("2026-11-24T10:07:30.250Z");

function parse(text: string, timezone = "UTC", now = NOW): Parsed {
  return parseSchedule(text, { timezone, now });
}

/** What a text is refused with. */
function refusal(text: string): { code: unknown; message: string } {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof Error) return { code: fieldsOf(error)["code"], message: error.message };
  }
  throw new Error(`'${text}' was not refused`);
}

const notParsed = (text: string): string =>
  `Cannot parse schedule: '${text}'. Use patterns like 'every 30m', 'daily at 9am', 'weekdays at 9:30am', or a 5-field cron expression.`;

const invalidCron = (cron: string, reason: string): string => `Invalid cron expression '${cron}': ${reason}.`;

describe("the grammar that other clients know", () => {
  it.each([
    ["0 9 * * *", "0 9 * * *"],
    ["  0 9 * * 1-5  ", "0 9 * * 1-5"],
    ["*/10 8-18/2 1,15 */3 0,6", "*/10 8-18/2 1,15 */3 0,6"],
    ["every 30m", "*/30 * * * *"],
    ["every 5min", "*/5 * * * *"],
    ["Every 20 Minutes", "*/20 * * * *"],
    ["every 12hours", "0 */12 * * *"],
    ["hourly", "0 * * * *"],
    ["daily at 9am", "0 9 * * *"],
    ["daily at 9:30 PM", "30 21 * * *"],
    ["every day at 12am", "0 0 * * *"],
    ["everyday at 12pm", "0 12 * * *"],
    ["weekdays at 9:30am", "30 9 * * 1-5"],
    ["weekend at 10", "0 10 * * 0,6"],
    ["every sunday at 8am", "0 8 * * 0"],
  ])("takes '%s' as %s", (text, cron) => {
    expect(parse(text)).toEqual({ timing: { kind: "cron", cron }, normalized: cron });
  });

  it.each([
    ["every 45m", 45, "*/45 * * * *"],
    ["every 5h", 300, "0 */5 * * *"],
  ])(
    "takes '%s', which fields cannot say, as an interval and shows the fields of old",
    (text, minutes, cron) => {
      expect(parse(text)).toEqual({ timing: { kind: "interval", minutes }, normalized: cron });
    },
  );

  it.each([
    ["every 60 minutes", "Invalid minute interval: 60"],
    ["every 1000000000000000000000000m", "Invalid minute interval: 1000000000000000000000000"],
    ["every 24h", "Invalid hour interval: 24"],
    ["daily at 13pm", "Invalid hour: 25"],
    ["weekdays at 9:60am", "Invalid minute: 60"],
  ])("refuses '%s': %s", (text, message) => {
    expect(refusal(text)).toEqual({ code: "invalid_input", message });
  });

  it.each([
    "",
    "every 2 days",
    "every 30s",
    "midnight",
    "daily at 9:5",
    "daily at 9am please",
    "0 0 9 * * *",
    "0 9 * * MON#2",
    "0 9 L * *",
    "every __proto__ at 9am",
    " Every Other DAY ",
  ])("refuses '%s' with the sentence that shows patterns", (text) => {
    expect(refusal(text)).toEqual({ code: "invalid_input", message: notParsed(text) });
  });

  it("refuses a text of more than 200 characters", () => {
    expect(refusal(`daily at ${" ".repeat(200)}9am`).message).toBe("A schedule has at most 200 characters.");
  });
});

describe("cron fields that say nothing that can happen", () => {
  it.each([
    ["99 99 * * *", "minute 99 is not in 0-59"],
    ["0 0 0 * *", "day of the month 0 is not in 1-31"],
    ["0 0 * * 8", "weekday 8 is not in 0-7"],
    ["1,,2 * * * *", "'' is not a minute"],
    ["*/90 * * * *", "a step in the minute field is 1 to 60, not 90"],
    ["0 0 30,31 2 0-6", "it never fires, because day 30 or 31 is in none of its months"],
    [`${"9".repeat(150)} * * * *`, `'${"9".repeat(150)}' is not a minute`],
  ])("refuses %s", (cron, reason) => {
    expect(refusal(cron)).toEqual({ code: "invalid_input", message: invalidCron(cron, reason) });
  });

  it.each([
    ["0 0 29 2 *", "a leap day"],
    ["0 0 30 2 1", "Mondays of February"],
  ])("takes %s: %s", (cron) => {
    expect(parse(cron).normalized).toBe(cron);
  });
});

describe("what the grammar takes beyond that", () => {
  it.each([
    ["every minute", "* * * * *"],
    ["0 9 * * MON-FRI", "0 9 * * 1-5"],
    ["0 9 * oct-dec/2 fri-mon", "0 9 * 10-12/2 5-1"],
    ["every weekday at 9am", "0 9 * * 1-5"],
    ["monday, wednesday at 9am", "0 9 * * 1,3"],
    ["every mon, wed, and sun at noon", "0 12 * * 0,1,3"],
    ["weekly on tue and thu at 18:30", "30 18 * * 2,4"],
    ["monthly on the 1st at 9am", "0 9 1 * *"],
  ])("takes '%s' as %s", (text, cron) => {
    expect(parse(text)).toEqual({ timing: { kind: "cron", cron }, normalized: cron });
  });

  it.each([
    ["in 30m", "UTC", "2026-11-24T10:37:30.250Z"],
    ["in 3 days", "Asia/Kolkata", "2026-11-27T10:07:30.000Z"],
    ["tomorrow 9:30", "America/New_York", "2026-11-25T14:30:00.000Z"],
    ["Tomorrow at Noon", "Pacific/Kiritimati", "2026-11-25T22:00:00.000Z"],
    ["2026-12-01 09:00:30", "America/New_York", "2026-12-01T14:00:30.000Z"],
    ["2026-12-01T09:00:00.5+05:30", "America/New_York", "2026-12-01T03:30:00.500Z"],
  ])("takes '%s' in %s as the moment %s", (text, timezone, moment) => {
    expect(parse(text, timezone)).toEqual({
      timing: { kind: "once", at: moment },
      normalized: moment,
    });
  });

  it.each([
    ["the same local time days later, over a change of the clock", "in 1 day", "2026-03-29T11:00:00.000Z"],
    ["hours that pass, over a change of the clock", "in 24 hours", "2026-03-29T12:00:00.000Z"],
    ["the first moment after a gap", "tomorrow at 1:30", "2026-03-29T01:00:00.000Z"],
    ["the first of two passes", "2026-10-25T01:30", "2026-10-25T00:30:00.000Z"],
    ["the pass that its offset names", "2026-10-25T01:30+00:00", "2026-10-25T01:30:00.000Z"],
  ])("takes %s: '%s'", (_, text, moment) => {
    const now = new Date("2026-03-28T12:00:00Z");
    expect(parse(text, "Europe/London", now).normalized).toBe(moment);
  });

  it.each([
    ["monthly on the 32nd at 9am", "Invalid day of the month: 32"],
    ["in 0m", "Invalid delay: 0m"],
    ["in 99999999 days", "Invalid delay: 99999999 days"],
    ["2026-02-30T09:00", "'2026-02-30T09:00' is not a date and time of the calendar."],
    ["2027-01-01t24:00", "'2027-01-01T24:00' is not a date and time of the calendar."],
    ["2027-01-01T09:00+99:00", "'2027-01-01T09:00+99:00' has an offset that no time zone has."],
    ["2020-01-01T00:00:00Z", "'2020-01-01T00:00:00Z' is in the past."],
  ])("refuses '%s': %s", (text, message) => {
    expect(refusal(text)).toEqual({ code: "invalid_input", message });
  });

  it("reads again what it shows of fields and moments, with the same result", () => {
    for (const text of ["every 30m", "0 9 * * MON-FRI", "monthly on the 31st 9am", "in 3 days"]) {
      const { timing, normalized } = parse(text, "Europe/London");
      expect(parse(normalized, "Europe/London")).toEqual({ timing, normalized });
    }
  });
});

describe("time zones", () => {
  it.each([
    ["europe/london", "Europe/London"],
    ["utc", "UTC"],
    ["US/Eastern", "US/Eastern"],
  ])("knows %s as %s", (name, known) => {
    expect(requireTimezone(name)).toBe(known);
  });

  it.each(["", "Mars/Base", "+05:30", "Europe/London\0", "../etc/passwd", "a".repeat(10_000)])(
    "refuses '%s'",
    (name) => {
      expect(() => requireTimezone(name)).toThrow(
        `Unknown time zone: '${name.slice(0, 64)}'. Use an IANA name such as 'Europe/London' or 'UTC'.`,
      );
    },
  );

  it("refuses a moment and a run in an unknown zone", () => {
    expect(() => parse("tomorrow at 9am", "Mars/Base")).toThrow("Unknown time zone: 'Mars/Base'");
    const { timing } = parse("daily at 9am");
    expect(() => nextRun(timing, { timezone: "Mars/Base", after: NOW, anchor: NOW })).toThrow("Unknown time");
  });
});
