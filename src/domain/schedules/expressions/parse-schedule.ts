// The grammar of schedules: what people write, and the cron fields that it means.
import { AppError } from "#src/lib/errors.ts";
import { WEEKDAYS } from "./calendar-names.ts";
import { readCron, toNumericCron } from "./cron-fields.ts";
import { parseMoment } from "./parse-moment.ts";
import { readTimeOfDay, splitTime } from "./time-of-day.ts";
import type { Parsed } from "./timing.ts";

const LONGEST = 200;

const MINUTES: ReadonlySet<string> = new Set(["m", "min", "mins", "minute", "minutes"]);
const HOURS: ReadonlySet<string> = new Set(["h", "hour", "hours"]);
const INTERVAL = /^every (\d+) ?([a-z]+)$/;
const FIXED: ReadonlyMap<string, string> = new Map([
  ["every minute", "* * * * *"],
  ["every hour", "0 * * * *"],
  ["hourly", "0 * * * *"],
]);

/** What comes before a time of day, and the days that it means: day of the month, month, weekday. */
const DAYS: ReadonlyMap<string, string> = new Map([
  ["daily", "* * *"],
  ["every day", "* * *"],
  ["everyday", "* * *"],
  ["nightly", "* * *"],
  ["weekday", "* * 1-5"],
  ["weekdays", "* * 1-5"],
  ["every weekday", "* * 1-5"],
  ["weekend", "* * 0,6"],
  ["weekends", "* * 0,6"],
]);
const MONTHLY = /^monthly on (?:the )?(\d{1,2})(?:st|nd|rd|th)?$/;
const NAMED_DAYS = /^(every |weekly on )?([a-z, ]+)$/;
const BETWEEN_DAYS = / ?, ?(?:and )?| and /;
const DAY_NAMES: ReadonlyMap<string, number> = new Map([
  ...WEEKDAYS.flatMap((weekday, day): [string, number][] => {
    const name = weekday.toLowerCase();
    return [
      [name, day],
      [name.slice(0, 3), day],
    ];
  }),
  ["tues", 2],
  ["thur", 4],
  ["thurs", 4],
]);

/**
 * Reads a schedule: cron fields, a phrase such as `weekdays at 9:30am`, or a moment such as `tomorrow at noon`. Case and spaces
 * do not matter. What it cannot read is refused with the sentence that the caller shows, as bad input.
 *
 * `every N minutes` and `every N hours` are intervals where N does not divide the hour or the day: cron fields would restart
 * with every hour or day. `every 45m` would run at minutes 0 and 45, `every 5h` at 20:00 and at 00:00.
 *
 * One weekday needs `every` or `weekly on`: `monday at 6am` could mean the next Monday alone.
 */
export function parseSchedule(text: string, { timezone, now }: { timezone: string; now: Date }): Parsed {
  if (text.length > LONGEST) {
    throw new AppError("invalid_input", `A schedule has at most ${LONGEST} characters.`);
  }
  const given = text.trim().toLowerCase();
  const cron = toNumericCron(given);
  if (cron !== undefined) {
    readCron(cron);
    return { timing: { kind: "cron", cron }, normalized: cron };
  }
  const phrase = given.replaceAll(/\s+/g, " ");
  const fields = FIXED.get(phrase) ?? parseTimeOnDays(phrase);
  if (fields !== undefined) return { timing: { kind: "cron", cron: fields }, normalized: fields };
  const interval = parseInterval(phrase);
  if (interval) return interval;
  const at = parseMoment(phrase, { timezone, now });
  if (at) return { timing: { kind: "once", at: at.toISOString() }, normalized: at.toISOString() };
  throw new AppError(
    "invalid_input",
    `Cannot parse schedule: '${text}'. Use patterns like 'every 30m', 'daily at 9am', 'weekdays at 9:30am', or a 5-field cron expression.`,
  );
}

function parseInterval(phrase: string): Parsed | undefined {
  const [, digits = "", unit = ""] = INTERVAL.exec(phrase) ?? [];
  if (MINUTES.has(unit)) {
    const count = countOf(digits, { most: 59, what: "minute interval" });
    return everyMinutes(count, { divides: 60 % count === 0, cron: `*/${count} * * * *` });
  }
  if (HOURS.has(unit)) {
    const count = countOf(digits, { most: 23, what: "hour interval" });
    return everyMinutes(count * 60, { divides: 24 % count === 0, cron: `0 */${count} * * *` });
  }
  return undefined;
}

function everyMinutes(minutes: number, { divides, cron }: { divides: boolean; cron: string }): Parsed {
  return { timing: divides ? { kind: "cron", cron } : { kind: "interval", minutes }, normalized: cron };
}

/** The cron fields of a phrase that ends with a time of day, such as `weekly on friday at 17:00`. */
function parseTimeOnDays(phrase: string): string | undefined {
  const split = splitTime(phrase);
  const days = split && daysOf(split.before);
  if (days === undefined) return undefined;
  const { hour, minute } = readTimeOfDay(split?.time ?? "");
  return `${minute} ${hour} ${days}`;
}

function daysOf(words: string): string | undefined {
  return DAYS.get(words) ?? dayOfMonth(words) ?? namedDays(words);
}

function dayOfMonth(words: string): string | undefined {
  const digits = MONTHLY.exec(words)?.[1];
  return digits && `${countOf(digits, { most: 31, what: "day of the month" })} * *`;
}

function namedDays(words: string): string | undefined {
  const [, lead, names] = NAMED_DAYS.exec(words) ?? [];
  if (names === undefined) return undefined;
  const days = names.split(BETWEEN_DAYS).map((name) => DAY_NAMES.get(name) ?? -1);
  if (days.includes(-1) || (lead === undefined && days.length === 1)) return undefined;
  return `* * ${[...new Set(days)].toSorted((one, other) => one - other).join(",")}`;
}

/** A number from 1 on. It is named without zeros before it, and not as a number: that can be too large for one. */
function countOf(digits: string, { most, what }: { most: number; what: string }): number {
  const count = Number(digits);
  if (count < 1 || count > most) {
    throw new AppError("invalid_input", `Invalid ${what}: ${digits.replace(/^0+(?=\d)/, "")}`);
  }
  return count;
}
