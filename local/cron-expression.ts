const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Days searched for the next match: 29 February may be eight years away, as after 2096. */
const MAX_DAYS = 8 * 366;

/** A cron expression, in UTC. */
export interface Cron {
  minutes: readonly number[];
  hours: readonly number[];
  /** Whether the fields of the day of the month, the month and the day of the week admit the day of this date. */
  admits: (date: Date) => boolean;
}

/**
 * Parses an expression of five fields with numbers, `*`, lists, ranges and steps. `sunday` is the number of that day:
 * 0 in standard cron, 1 at Cloudflare. As in standard cron, an expression that restricts both the day of the month and
 * the day of the week matches days that meet either. Returns undefined for anything else, names and zones included,
 * and for days that never come, such as 31 February.
 */
export function parseCron(expression: string, { sunday }: { sunday: 0 | 1 }): Cron | undefined {
  const fields = expression.trim().split(/\s+/u);
  if (fields.length !== 5) return undefined;
  const [minutes, hours, days, months, weekdays] = [
    valuesOf(fields[0], 0, 59),
    valuesOf(fields[1], 0, 23),
    valuesOf(fields[2], 1, 31),
    valuesOf(fields[3], 1, 12),
    valuesOf(fields[4], sunday, sunday + 6),
  ];
  if (!minutes || !hours || !days || !months || !weekdays) return undefined;
  const either = !isUnrestricted(fields[2]) && !isUnrestricted(fields[4]);
  const admits = (date: Date) => {
    if (!months.includes(date.getUTCMonth() + 1)) return false;
    const isDay = days.includes(date.getUTCDate());
    const isWeekday = weekdays.includes(date.getUTCDay() + sunday);
    return either ? isDay || isWeekday : isDay && isWeekday;
  };
  const cron = { minutes, hours, admits };
  return nextMatch(cron, 0) === undefined ? undefined : cron;
}

/** Whether the expression matches the minute of this date. */
export function matches({ minutes, hours, admits }: Cron, at: Date): boolean {
  return minutes.includes(at.getUTCMinutes()) && hours.includes(at.getUTCHours()) && admits(at);
}

/** Returns the first matching minute after a moment; both in milliseconds since the epoch. */
export function nextMatch({ minutes, hours, admits }: Cron, after: number): number | undefined {
  const today = after - (after % DAY_MS);
  for (let day = 0; day <= MAX_DAYS; day += 1) {
    const midnight = today + day * DAY_MS;
    if (!admits(new Date(midnight))) continue;
    for (const hour of hours) {
      for (const minute of minutes) {
        const moment = midnight + (hour * 60 + minute) * MINUTE_MS;
        if (moment > after) return moment;
      }
    }
  }
  return undefined;
}

/** Returns the values of a field between its bounds, ascending; undefined for a field that is not understood. */
function valuesOf(field = "", least: number, most: number): number[] | undefined {
  const values = new Set<number>();
  for (const part of field.split(",")) {
    const match = /^(?:(?<star>\*)|(?<from>\d{1,2})(?:-(?<to>\d{1,2}))?)(?:\/(?<step>\d{1,2}))?$/u.exec(part);
    if (!match) return undefined;
    const { star, from, to, step } = match.groups ?? {};
    // A step after a single number has several readings among implementations.
    if (step !== undefined && star === undefined && to === undefined) return undefined;
    const first = star === undefined ? Number(from) : least;
    const last = star === undefined ? Number(to ?? from) : most;
    const by = Number(step ?? 1);
    if (first < least || last > most || first > last || by === 0) return undefined;
    for (let value = first; value <= last; value += by) values.add(value);
  }
  return [...values].toSorted((a, b) => a - b);
}

function isUnrestricted(field = ""): boolean {
  return field.split(",").some((part) => part === "*" || part === "*/1");
}
