import { describe, expect, it } from "vitest";
import {
  describeTiming,
  parseSchedule,
  previewSchedule,
  renderTemplate,
} from "#src/domain/schedules/expressions/index.ts";

describe("a schedule in words", () => {
  const NOW = new Date("2026-11-20T00:00:00Z");

  it.each([
    ["weekdays at 9am", "at 09:00, Monday to Friday, Europe/London"],
    ["every 45m", "every 45 minutes"],
    ["*/15 * * * *", "every 15 minutes"],
    ["*/45 * * * *", "every hour at minutes 0 and 45"],
    ["7 * * * 1", "every hour at minute 7, every Monday, Europe/London"],
    ["*/15 * 1 * *", "every 15 minutes on day 1 of the month, Europe/London"],
    ["every 2h", "every 2 hours from 00:00, every day, Europe/London"],
    ["mon, wed and sun at noon", "at 12:00, every Monday, Wednesday and Sunday, Europe/London"],
    ["0 9 1-7 1,7 *", "at 09:00 on days 1 to 7 of the month, in January and July, Europe/London"],
    ["0 9 13 * 5", "at 09:00 on day 13 of the month or on Friday, Europe/London"],
    ["0 9 * 6-8 *", "at 09:00, every day, in June to August, Europe/London"],
    ["0 9,17 * * *", "at 09:00 and 17:00, every day, Europe/London"],
    ["0 9-17 * * 1-5", "every hour from 09:00 to 17:00, Monday to Friday, Europe/London"],
    ["*/20 9-17 * * *", "every 20 minutes from 09:00 to 17:40, every day, Europe/London"],
    ["5,6 1,3,8,9 * * *", "at minutes 5 and 6 of hours 1, 3, 8 and 9, every day, Europe/London"],
    ["2026-11-24T09:00-05:00", "once at 2026-11-24 14:00, Europe/London"],
  ])("'%s' is: %s", (text, words) => {
    const timezone = "Europe/London";
    expect(describeTiming(parseSchedule(text, { timezone, now: NOW }).timing, timezone)).toBe(words);
  });
});

describe("a prompt with variables", () => {
  const at = new Date("2026-11-24T23:30:00Z");
  const render = (template: string, name = "Morning news", timezone = "UTC"): string =>
    renderTemplate(template, { name, timezone, at });

  it("has date, time, weekday and the schedule's name filled in", () => {
    expect(render("{schedule_name}: {weekday}, {date} at {time}; {date}")).toBe(
      "Morning news: Tuesday, 2026-11-24 at 23:30; 2026-11-24",
    );
  });

  it.each([
    ["Asia/Tokyo", "Wednesday 2026-11-25 08:30"],
    ["Asia/Kathmandu", "Wednesday 2026-11-25 05:15"],
  ])("has them as a clock in %s shows them", (timezone, expected) => {
    expect(render("{weekday} {date} {time}", "", timezone)).toBe(expected);
  });

  it("keeps other braces", () => {
    expect(render('{"a": {b}} {Date} {date } {{time}} {constructor}')).toBe(
      '{"a": {b}} {Date} {date } {23:30} {constructor}',
    );
  });

  it("takes a name as it is", () => {
    expect(render("{schedule_name}", "{date} $& $1 {schedule_name}")).toBe("{date} $& $1 {schedule_name}");
  });
});

it.each([
  [
    "every 2 hours",
    "Europe/Berlin",
    "2026-10-24T21:30Z",
    "The clock of Europe/Berlin changes between the runs of 2026-10-25 02:00 and 2026-10-25 04:00: the pause between them is 3 hours.",
  ],
  ["every 2 hours", "Europe/Berlin", "2026-07-01T00:00Z", null],
  // Every hour that passes has its quarters.
  ["every 15m", "Europe/Berlin", "2026-10-25T00:30Z", null],
  ["2027-01-31T09:00", "Europe/Berlin", "2026-10-25T00:30Z", null],
  [
    "every 45m",
    "UTC",
    "2026-07-01T00:00Z",
    "It counts real time from when the schedule is made, also where the clock changes.",
  ],
])("the note of '%s' in %s at %s", (text, timezone, now, note) => {
  expect(previewSchedule(text, { timezone, now: new Date(now), count: 5 }).note).toBe(note);
});
