import * as fc from "fast-check";
import { expect, it } from "vitest";
import { nextRun, parseSchedule } from "#src/domain/schedules/expressions/index.ts";
import { changedDays, type Chosen, firesByForce } from "./brute-force.ts";
import { runs } from "#test/support/soak.ts";

const RUNS = runs(25);
const COUNT = 100;
const HOUR_MS = 3_600_000;

/** Zones whose clocks change by an hour, half an hour and two; at midnight; twice in spring; not at all. */
const ZONES = [
  "UTC",
  "Europe/London",
  "America/New_York",
  "Australia/Lord_Howe",
  "Europe/Dublin",
  "Africa/Casablanca",
  "Africa/Cairo",
  "America/Havana",
  "America/Nuuk",
  "America/Santiago",
  "America/St_Johns",
  "Antarctica/Troll",
  "Asia/Beirut",
  "Asia/Gaza",
  "Asia/Kathmandu",
  "Asia/Kolkata",
  "Atlantic/Azores",
  "Pacific/Chatham",
  "Pacific/Kiritimati",
];

/** Before leap days, and before ends of months and years. */
const STARTS = ["2026-02-11", "2026-04-28", "2027-02-27", "2028-02-27", "2029-12-30", "2096-02-27"];
const FIRST_DAY = Date.parse("2026-01-01");
const DAYS = 730;

interface Bounds {
  lowest: number;
  highest: number;
  /** The highest value that is chosen. */
  most?: number;
}

function span(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, nth) => from + nth * step);
}

/** One element of a field's list, with the values that it means. */
function element({
  lowest,
  highest,
  most = highest,
}: Bounds): fc.Arbitrary<{ text: string; values: number[] }> {
  const value = fc.integer({ min: lowest, max: most });
  const range = fc.tuple(value, value).map(([one, other]) => [Math.min(one, other), Math.max(one, other)]);
  return fc.oneof(
    { weight: 4, arbitrary: value.map((each) => ({ text: String(each), values: [each] })) },
    {
      weight: 2,
      arbitrary: range.map(([from = 0, to = 0]) => ({ text: `${from}-${to}`, values: span(from, to, 1) })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(range, fc.integer({ min: 1, max: 6 })).map(([[from = 0, to = 0], step]) => ({
        text: `${from}-${to}/${step}`,
        values: span(from, to, step),
      })),
    },
    {
      weight: 1,
      arbitrary: fc
        .integer({ min: 1, max: highest - lowest })
        .map((step) => ({ text: `*/${step}`, values: span(lowest, highest, step) })),
    },
  );
}

interface CronField {
  text: string;
  /** The values that the text means; none for a field that restricts nothing. */
  values?: number[];
}

function field(bounds: Bounds): fc.Arbitrary<CronField> {
  const size = bounds.highest - bounds.lowest + 1;
  const restricted = fc.array(element(bounds), { minLength: 1, maxLength: 3 }).map((elements) => {
    const values = [...new Set(elements.flatMap((each) => each.values))];
    const text = elements.map((each) => each.text).join(",");
    return values.length === size ? { text } : { text, values };
  });
  return fc.oneof(fc.constant({ text: "*" }), restricted);
}

const any: fc.Arbitrary<CronField> = fc.constant({ text: "*" });

const schedule = fc.record({
  minutes: field({ lowest: 0, highest: 59 }),
  // Clocks change in the first hours of a day.
  hours: fc.oneof(
    field({ lowest: 0, highest: 23 }),
    field({ lowest: 0, highest: 23, most: 4 }),
    fc.constantFrom({ text: "1,2", values: [1, 2] }, { text: "0,23", values: [0, 23] }),
  ),
  days: fc.oneof(any, any, field({ lowest: 1, highest: 31 })),
  months: fc.oneof(any, any, any, field({ lowest: 1, highest: 12 })),
  weekdays: fc.oneof(any, any, field({ lowest: 0, highest: 6 })),
});

const anywhere = fc.record({
  timezone: fc.constantFrom(...ZONES),
  after: fc
    .tuple(fc.constantFrom(...STARTS), fc.integer({ min: 0, max: 96 * HOUR_MS }))
    .map(([start, later]) => Date.parse(start) + later),
});

/** Moments within a day before or after a change of the clock. */
const nearChange = fc
  .tuple(
    fc.constantFrom(
      ...ZONES.flatMap((timezone) =>
        changedDays(timezone, { from: FIRST_DAY, days: DAYS }).map((day) => ({ timezone, day })),
      ),
    ),
    fc.integer({ min: -24 * HOUR_MS, max: 24 * HOUR_MS }),
  )
  .map(([{ timezone, day }, later]) => ({ timezone, after: day + later }));

const situation = fc.oneof(anywhere, nearChange, nearChange);

it(`the next ${COUNT} fires of any expression in any zone are those of an independent computation`, () => {
  fc.assert(
    fc.property(schedule, situation, ({ minutes, hours, days, months, weekdays }, { timezone, after }) => {
      const chosen: Chosen = {
        minutes: minutes.values,
        hours: hours.values,
        days: days.values,
        months: months.values,
        weekdays: weekdays.values,
      };
      fc.pre(comesSoon(chosen));
      const text = [minutes, hours, days, months, weekdays].map((each) => each.text).join(" ");
      const { timing } = parseSchedule(text, { timezone, now: new Date(after) });
      const fires: (string | undefined)[] = [];
      let last = new Date(after);
      for (let nth = 0; nth < COUNT; nth += 1) {
        const next = nextRun(timing, { timezone, after: last, anchor: new Date(after) });
        fires.push(next?.toISOString());
        if (!next) break;
        last = next;
      }
      expect(fires).toEqual(
        firesByForce(chosen, { timezone, after, count: COUNT }).map((at) => new Date(at).toISOString()),
      );
    }),
    { numRuns: RUNS },
  );
});

/** Not 30 February, and not 29 February: a hundred of them are four hundred years. */
function comesSoon({ days, months, weekdays }: Chosen): boolean {
  if (!days || !months || weekdays) return true;
  return days.some((day) => day < 29) || months.some((month) => [1, 3, 5, 7, 8, 10, 12].includes(month));
}
