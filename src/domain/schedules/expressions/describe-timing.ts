// A schedule read back in words.
import { MONTHS, WEEKDAYS } from "./calendar-names.ts";
import { type CronFields, isWhole, readCron } from "./cron-fields.ts";
import type { Timing } from "./timing.ts";
import { localTime } from "./zones.ts";

/** Times of day that are named one by one; of more, their minutes and hours are named apart. */
const NAMED_TIMES = 6;

/** A schedule in words, such as `at 09:00, Monday to Friday, Europe/London`. */
export function describeTiming(timing: Timing, timezone: string): string {
  if (timing.kind === "cron") return describeFields(readCron(timing.cron), timezone);
  if (timing.kind === "interval") {
    const hours = timing.minutes / 60;
    return Number.isInteger(hours) ? `every ${hours} hours` : `every ${timing.minutes} minutes`;
  }
  const [date, time = ""] = new Date(localTime(Date.parse(timing.at), timezone)).toISOString().split("T");
  return `once at ${date} ${time.slice(0, 5)}, ${timezone}`;
}

function describeFields(fields: CronFields, timezone: string): string {
  const often = isWhole("hours", fields);
  const times = often ? minutesOfEveryHour(fields) : timesOfDay(fields);
  const anyDay = isWhole("days", fields) && isWhole("weekdays", fields) && isWhole("months", fields);
  return often && anyDay ? times : `${times}${daysOf(fields)}, ${timezone}`;
}

function minutesOfEveryHour({ minutes }: CronFields): string {
  const step = stepOf(minutes, 60);
  if (step !== undefined && step < 60) return everyMinutes(step);
  return `every hour at ${counted("minute", minutes)}`;
}

function timesOfDay({ minutes, hours }: CronFields): string {
  const [minute = 0] = minutes;
  const [firstHour = 0] = hours;
  const lastHour = hours.at(-1) ?? 0;
  const hourStep = stepOf(hours, 24);
  if (minutes.length === 1 && hourStep !== undefined && hours.length > 2) {
    return `every ${hourStep} hours from ${clock(0, minute)}`;
  }
  if (minutes.length * hours.length <= NAMED_TIMES) {
    return `at ${list(hours.flatMap((hour) => minutes.map((each) => clock(hour, each))))}`;
  }
  const step = stepOf(minutes, 60);
  if (isContiguous(hours) && step !== undefined) {
    const often = step === 60 ? "every hour" : everyMinutes(step);
    return `${often} from ${clock(firstHour, 0)} to ${clock(lastHour, 60 - step)}`;
  }
  if (isContiguous(hours) && minutes.length === 1) {
    return `every hour from ${clock(firstHour, minute)} to ${clock(lastHour, minute)}`;
  }
  return `at ${counted("minute", minutes)} of ${counted("hour", hours)}`;
}

/** The days, as what follows the times: weekdays after a comma, days of the month without one. */
function daysOf(fields: CronFields): string {
  const months = isWhole("months", fields) ? "" : `, in ${named(fields.months, monthName)}`;
  const weekdays = isWhole("weekdays", fields) ? undefined : named(mondayFirst(fields.weekdays), weekdayName);
  if (isWhole("days", fields)) {
    const every = weekdays === undefined || !weekdays.includes(" to ") ? "every " : "";
    return `, ${every}${weekdays ?? "day"}${months}`;
  }
  const alternative = weekdays === undefined ? "" : ` or on ${weekdays}`;
  return ` on ${counted("day", fields.days)} of the month${alternative}${months}`;
}

/** The step of values that divide their field from 0 on, such as 15 for minutes 0, 15, 30 and 45. */
function stepOf(values: readonly number[], size: number): number | undefined {
  const step = size / values.length;
  return values.every((value, place) => value === place * step) ? step : undefined;
}

function everyMinutes(step: number): string {
  return step === 1 ? "every minute" : `every ${step} minutes`;
}

function counted(unit: string, values: readonly number[]): string {
  return `${unit}${values.length === 1 ? "" : "s"} ${named(values, String)}`;
}

/** Values by their names; three and more in a row as the first and the last. */
function named(values: readonly number[], nameOf: (value: number) => string): string {
  const names = values.map(nameOf);
  return values.length > 2 && isContiguous(values) ? `${names[0]} to ${names.at(-1)}` : list(names);
}

function list(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function isContiguous(values: readonly number[]): boolean {
  return values.every((value, place) => value === (values[0] ?? 0) + place);
}

/** Weekdays with Sunday as 7, so that a weekend is in one piece. */
function mondayFirst(weekdays: readonly number[]): number[] {
  return weekdays.map((day) => (day === 0 ? 7 : day)).toSorted((one, other) => one - other);
}

function weekdayName(day: number): string {
  return WEEKDAYS[day % 7] ?? "";
}

function monthName(month: number): string {
  return MONTHS[month - 1] ?? "";
}

function clock(hour: number, minute: number): string {
  return [hour, minute].map((part) => String(part).padStart(2, "0")).join(":");
}
