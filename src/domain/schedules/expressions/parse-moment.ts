// Schedules that run once: after a while, tomorrow, or at a moment of the calendar.
import { AppError } from "#src/lib/errors.ts";
import { readTimeOfDay, splitTime } from "./time-of-day.ts";
import { localTime, momentOf } from "./zones.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const LAST = Date.UTC(9999, 11, 31);

const DELAY = /^in (\d+) ?(?:(m|mins?|minutes?)|(h|hours?)|(d|days?))$/;
const DATE = String.raw`(\d{4}-\d{2}-\d{2})`;
const TIME = String.raw`(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)`;
const ISO = new RegExp(`^${DATE}[t ]${TIME}(?:(z)|([+-])(\\d{2}):?(\\d{2})?)?$`);

interface Clock {
  timezone: string;
  now: Date;
}

/**
 * The moment of `in 30m`, `in 2 hours`, `in 3 days`, `tomorrow at 9am` or an ISO timestamp, which is a local time of the zone
 * unless it has an offset. Days are days of the calendar: `in 3 days` is the same local time, also over a change of the clock.
 * Undefined for other texts.
 */
export function parseMoment(phrase: string, clock: Clock): Date | undefined {
  return inAWhile(phrase, clock) ?? tomorrow(phrase, clock) ?? timestamp(phrase, clock);
}

function inAWhile(phrase: string, { timezone, now }: Clock): Date | undefined {
  const match = DELAY.exec(phrase);
  if (!match) return undefined;
  const [, digits, minutes, hours] = match;
  const count = Number(digits);
  const unit = minutes === undefined ? (hours === undefined ? DAY_MS : HOUR_MS) : MINUTE_MS;
  if (count < 1 || now.getTime() + count * unit > LAST) {
    throw new AppError("invalid_input", `Invalid delay: ${phrase.slice(3)}`);
  }
  if (unit !== DAY_MS) return new Date(now.getTime() + count * unit);
  return new Date(momentOf(localTime(now.getTime(), timezone) + count * DAY_MS, timezone));
}

function tomorrow(phrase: string, { timezone, now }: Clock): Date | undefined {
  const split = splitTime(phrase);
  if (split?.before !== "tomorrow") return undefined;
  const { hour, minute } = readTimeOfDay(split.time);
  const local = localTime(now.getTime(), timezone);
  const midnight = local - (local % DAY_MS) + DAY_MS;
  return new Date(momentOf(midnight + hour * HOUR_MS + minute * MINUTE_MS, timezone));
}

function timestamp(phrase: string, { timezone, now }: Clock): Date | undefined {
  const match = ISO.exec(phrase);
  if (!match) return undefined;
  const [, date = "", time = "", utc, sign, hours = "0", minutes = "0"] = match;
  const written = phrase.toUpperCase();
  const local = Date.parse(`${date}T${time}Z`);
  // `Date` takes 30 February for a day of March, and 24:00 for the next day.
  if (Number.isNaN(local) || !new Date(local).toISOString().startsWith(`${date}T${time.slice(0, 5)}`)) {
    throw new AppError("invalid_input", `'${written}' is not a date and time of the calendar.`);
  }
  if (Number(hours) > 14 || Number(minutes) > 59) {
    throw new AppError("invalid_input", `'${written}' has an offset that no time zone has.`);
  }
  const offset = (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS) * (sign === "-" ? -1 : 1);
  const at = (utc ?? sign) === undefined ? momentOf(local, timezone) : local - offset;
  if (at <= now.getTime()) throw new AppError("invalid_input", `'${written}' is in the past.`);
  return new Date(at);
}
