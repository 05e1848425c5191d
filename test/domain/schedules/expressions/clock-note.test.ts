import { expect, it } from "vitest";
import { previewSchedule } from "#src/domain/schedules/expressions/index.ts";

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
