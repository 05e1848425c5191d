import { expect, it } from "vitest";
import { nextRun, parseSchedule } from "#src/domain/schedules/expressions/index.ts";

it("a schedule runs in its zone, over a change of the clock, in workerd too", () => {
  const timezone = "Australia/Lord_Howe";
  const after = new Date("2026-10-03T14:50:00Z");
  const { timing } = parseSchedule("daily at 2:15", { timezone, now: after });
  const first = nextRun(timing, { timezone, after, anchor: after }) ?? after;
  expect(first.toISOString()).toBe("2026-10-03T15:30:00.000Z");
  expect(nextRun(timing, { timezone, after: first, anchor: after })?.toISOString()).toBe(
    "2026-10-04T15:15:00.000Z",
  );
  expect(parseSchedule("tomorrow at noon", { timezone, now: after }).normalized).toBe(
    "2026-10-05T01:00:00.000Z",
  );
});
