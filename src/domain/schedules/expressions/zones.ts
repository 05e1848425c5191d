// Local time: what a clock shows in a time zone, and the moment at which it shows that.
import { AppError } from "#src/lib/errors.ts";
import { KeepNewest } from "./keep-newest.ts";

/** Names of the IANA database begin with a letter; `Intl` takes offsets such as `+05:30` too. */
const NAME = /^[A-Za-z][\w+/-]{0,63}$/;
const DAY_MS = 86_400_000;
/** Names kept with their formatter. A name can be written in any case, so there is no end of names. */
const KEPT = 256;

interface Zone {
  /** The name under which `Intl` knows the zone, the same for all its aliases and spellings. */
  canonical: string;
  formatter: Intl.DateTimeFormat;
}

const zones = new KeepNewest<Zone>(KEPT);

/**
 * The name of a time zone, as `Intl` spells it where only letters' case differs. Aliases stay as they are: `Asia/Kolkata` is
 * not renamed to `Asia/Calcutta`.
 */
export function requireTimezone(name: string): string {
  const { canonical } = zoneOf(name);
  return canonical.toLowerCase() === name.toLowerCase() ? canonical : name;
}

/** One name for all aliases and spellings of a zone. */
export function canonicalZone(name: string): string {
  return zoneOf(name).canonical;
}

/** What the zone's clock shows at a moment, in whole seconds: the milliseconds at which a clock in UTC shows the same. */
export function localTime(at: number, timezone: string): number {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of zoneOf(timezone).formatter.formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day, hour, minute, second } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/**
 * The first moment at which the zone's clock shows a local time. For a local time that a change of the clock leaves out, the
 * first moment after that change.
 */
export function momentOf(local: number, timezone: string): number {
  // The clock does not change twice within two days.
  const before = local - offsetAt(local - DAY_MS, timezone);
  const after = local - offsetAt(local + DAY_MS, timezone);
  const [early, late] = before < after ? [before, after] : [after, before];
  for (const moment of [early, late]) if (localTime(moment, timezone) === local) return moment;
  return firstPast(local, { early, late, timezone });
}

/** The moment between two at which the clock jumps over a local time, found by halving. */
function firstPast(local: number, range: { early: number; late: number; timezone: string }): number {
  let { early, late } = range;
  while (late - early > 1000) {
    const middle = early + Math.floor((late - early) / 2000) * 1000;
    if (localTime(middle, range.timezone) < local) early = middle;
    else late = middle;
  }
  return late;
}

function offsetAt(at: number, timezone: string): number {
  return localTime(at, timezone) - Math.floor(at / 1000) * 1000;
}

function zoneOf(name: string): Zone {
  return zones.of(name, () => {
    const formatter = formatterOf(name);
    return { canonical: formatter.resolvedOptions().timeZone, formatter };
  });
}

function formatterOf(name: string): Intl.DateTimeFormat {
  if (!NAME.test(name)) throw unknown(name);
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch (cause) {
    throw unknown(name, cause);
  }
}

function unknown(name: string, cause?: unknown): AppError {
  return new AppError(
    "invalid_input",
    `Unknown time zone: '${name.slice(0, 64)}'. Use an IANA name such as 'Europe/London' or 'UTC'.`,
    { cause },
  );
}
