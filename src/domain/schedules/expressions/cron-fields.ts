// The five fields of a cron expression, as the values that they let through.
import { AppError } from "#src/lib/errors.ts";
import { MONTHS, WEEKDAYS } from "./calendar-names.ts";

/** Values that a cron expression lets through, each list in ascending order; weekdays are 0 to 6, Sunday first. */
export interface CronFields {
  minutes: readonly number[];
  hours: readonly number[];
  days: readonly number[];
  months: readonly number[];
  weekdays: readonly number[];
}

interface Field {
  name: string;
  lowest: number;
  /** The highest value that may be written; Sunday is 0 and 7. */
  highest: number;
  /** How many values there are. */
  size: number;
  /** Values by their names of three letters. */
  names: ReadonlyMap<string, number>;
}

const short = (names: readonly string[], first: number): ReadonlyMap<string, number> =>
  new Map(names.map((name, place) => [name.slice(0, 3).toLowerCase(), place + first]));
const NONE: ReadonlyMap<string, number> = new Map();

const MINUTE: Field = { name: "minute", lowest: 0, highest: 59, size: 60, names: NONE };
const HOUR: Field = { name: "hour", lowest: 0, highest: 23, size: 24, names: NONE };
const DAY: Field = { name: "day of the month", lowest: 1, highest: 31, size: 31, names: NONE };
const MONTH: Field = { name: "month", lowest: 1, highest: 12, size: 12, names: short(MONTHS, 1) };
const WEEKDAY: Field = { name: "weekday", lowest: 0, highest: 7, size: 7, names: short(WEEKDAYS, 0) };
const FIELDS = [MINUTE, HOUR, DAY, MONTH, WEEKDAY] as const;

const NUMERIC = /^[\d*,/-]+$/;
const WORD = /[a-z]+/g;
const ELEMENT = /^(?:\*|(\d{1,9})(?:-(\d{1,9}))?)(?:\/(\d{1,9}))?$/;
const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/**
 * A lower-case text as five fields of numbers: one that has only numbers is returned unchanged, names of months and weekdays
 * become numbers. Undefined for a text that does not have the characters of five cron fields; what the fields say is not checked.
 */
export function toNumericCron(text: string): string | undefined {
  const parts = text.split(/\s+/);
  if (parts.length !== FIELDS.length) return undefined;
  if (parts.every((part) => NUMERIC.test(part))) return text;
  const numeric = parts.map((part, place) => withoutNames(part, FIELDS[place]?.names ?? NONE));
  return numeric.every((part) => NUMERIC.test(part)) ? numeric.join(" ") : undefined;
}

/** Sunday is 7 where it ends a range, as in `mon-sun`. */
function withoutNames(part: string, names: ReadonlyMap<string, number>): string {
  return part.replace(WORD, (word, place: number) => {
    if (word === "sun" && names.has(word) && part[place - 1] === "-") return "7";
    return String(names.get(word) ?? word);
  });
}

/**
 * The values of five numeric fields. Refuses values that a field does not have, steps that are longer than their field (a step
 * of 90 minutes would run every hour), and dates that never come. Besides classic syntax it takes `5/15` for `5-59/15` and
 * ranges over the end of a field such as `22-2`, as other schedulers do.
 */
export function readCron(cron: string): CronFields {
  const parts = cron.split(/\s+/);
  const [minutes, hours, days, months, weekdays] = FIELDS.map((field, place) =>
    readField(parts[place] ?? "", { field, cron }),
  );
  if (!minutes || !hours || !days || !months || !weekdays) throw invalid(cron, "it has five fields");
  const fields = { minutes, hours, days, months, weekdays };
  if (neverFires(fields)) {
    const which = days.length === 1 ? `day ${days[0]}` : `day ${days.join(" or ")}`;
    throw invalid(cron, `it never fires, because ${which} is in none of its months`);
  }
  return fields;
}

/** Whether a list of a field's values is the whole field, that is to say: no restriction. */
export function isWhole(field: keyof CronFields, fields: CronFields): boolean {
  return fields[field].length === SIZES[field];
}

const SIZES: Readonly<Record<keyof CronFields, number>> = {
  minutes: MINUTE.size,
  hours: HOUR.size,
  days: DAY.size,
  months: MONTH.size,
  weekdays: WEEKDAY.size,
};

/** With weekdays a restricted day of the month is an alternative, see `nextRun`: there is always a weekday. */
function neverFires(fields: CronFields): boolean {
  const earliest = fields.days[0] ?? 1;
  return (
    isWhole("weekdays", fields) &&
    fields.months.every((month) => earliest > (LONGEST_MONTHS[month - 1] ?? 31))
  );
}

function readField(text: string, context: { field: Field; cron: string }): number[] {
  const values = new Set(text.split(",").flatMap((element) => readElement(element, context)));
  return [...values].toSorted((one, other) => one - other);
}

function readElement(element: string, { field, cron }: { field: Field; cron: string }): number[] {
  const match = ELEMENT.exec(element);
  if (!match) throw invalid(cron, `'${element}' is not a ${field.name}`);
  const [, first, last, everyNth] = match;
  for (const value of [first, last]) {
    if (value !== undefined && (Number(value) < field.lowest || Number(value) > field.highest)) {
      throw invalid(cron, `${field.name} ${Number(value)} is not in ${field.lowest}-${field.highest}`);
    }
  }
  const step = Number(everyNth ?? 1);
  if (step < 1 || step > field.size) {
    throw invalid(cron, `a step in the ${field.name} field is 1 to ${field.size}, not ${step}`);
  }
  const from = inField(Number(first ?? field.lowest), field);
  const toTheEnd = first === undefined || (last === undefined && everyNth !== undefined);
  const length = toTheEnd
    ? field.size - (from - field.lowest)
    : rangeLength(Number(first), Number(last ?? first), field);
  return Array.from({ length: Math.ceil(length / step) }, (_, nth) => inField(from + nth * step, field));
}

/** How many values a range has; one that ends before it begins goes over the end of the field. */
function rangeLength(from: number, to: number, field: Field): number {
  return to >= from ? to - from + 1 : to - from + 1 + field.size;
}

function inField(value: number, { lowest, size }: Field): number {
  return ((value - lowest) % size) + lowest;
}

function invalid(cron: string, reason: string): AppError {
  return new AppError("invalid_input", `Invalid cron expression '${cron}': ${reason}.`);
}
