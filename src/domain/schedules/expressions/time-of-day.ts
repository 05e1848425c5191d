// Times of day as people write them.
import { AppError } from "#src/lib/errors.ts";

const TIME = String.raw`\d{1,2}(?::\d{2})? ?(?:am|pm)?|noon|midnight`;
const ENDS_WITH_TIME = new RegExp(`^(.*?) (?:at )?(${TIME})$`);
const PARTS = /^(\d{1,2})(?::(\d{2}))? ?(am|pm)?$/;

export interface TimeOfDay {
  hour: number;
  minute: number;
}

/** A phrase that ends with a time of day, as what comes before it and the time. `at` belongs to neither. */
export function splitTime(phrase: string): { before: string; time: string } | undefined {
  const [, before, time] = ENDS_WITH_TIME.exec(phrase) ?? [];
  return before === undefined || time === undefined ? undefined : { before, time };
}

/** A time that `splitTime` found. 12am is midnight, 12pm is noon; without am and pm the day has 24 hours. */
export function readTimeOfDay(time: string): TimeOfDay {
  if (time === "noon") return { hour: 12, minute: 0 };
  const [, hours = "0", minutes = "0", half] = PARTS.exec(time) ?? [];
  const hour = toHour(Number(hours), half);
  const minute = Number(minutes);
  if (hour > 23) throw new AppError("invalid_input", `Invalid hour: ${hour}`);
  if (minute > 59) throw new AppError("invalid_input", `Invalid minute: ${minute}`);
  return { hour, minute };
}

function toHour(hour: number, half: string | undefined): number {
  if (half === "am" && hour === 12) return 0;
  return half === "pm" && hour !== 12 ? hour + 12 : hour;
}
