import { expect, it } from "vitest";
import { cronOf, extraTicks } from "#src/domain/schedules/runs/keep-ticking.ts";

it.each([
  [15, "* * * * *", [15, 30, 45]],
  [20, "* * * * *", [20, 40]],
  [60, "* * * * *", []],
  [90, "* * * * *", []],
  [300, "*/5 * * * *", []],
  // Of what does not divide the hour, the next shorter interval that does.
  [420, "*/6 * * * *", []],
  [3_600, "0 * * * *", []],
  [7_200, "0 * * * *", []],
])(
  "ticks every %i seconds with the queue's clock %j and ticks of its own after %j",
  (seconds, cron, extra) => {
    expect({ cron: cronOf(seconds), extra: extraTicks(seconds) }).toEqual({ cron, extra });
  },
);
