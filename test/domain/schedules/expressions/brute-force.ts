// When a cron expression fires, computed from the values that were chosen for it and from what `Intl` says of the zone's clock.
// It shares nothing with the service: no parser, no arithmetic of zones, no croner.

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** No zone is further from UTC, and no change of a clock is longer. */
const MARGIN_MS = 30 * 3_600_000;

/** Chosen values; undefined for a field without a restriction. */
export interface Chosen {
  minutes?: readonly number[] | undefined;
  hours?: readonly number[] | undefined;
  days?: readonly number[] | undefined;
  months?: readonly number[] | undefined;
  weekdays?: readonly number[] | undefined;
}

/** The first `count` fires after a moment. */
export function firesByForce(
  chosen: Chosen,
  { timezone, after, count }: { timezone: string; after: number; count: number },
): number[] {
  const fires: number[] = [];
  let day = Math.floor((after - MARGIN_MS) / DAY_MS) * DAY_MS;
  while (fires.length < count) {
    if (isChosenDay(chosen, new Date(day))) {
      const ofDay = firesOfDay(chosen, { day, timezone }).filter((fire) => fire > after);
      // A time that the clock leaves out at the end of a day is made up for on the next.
      for (const fire of ofDay) if (!fires.includes(fire)) fires.push(fire);
    }
    day += DAY_MS;
  }
  return fires.slice(0, count);
}

function isChosenDay({ days, months, weekdays }: Chosen, date: Date): boolean {
  if (months && !months.includes(date.getUTCMonth() + 1)) return false;
  const byDay = days?.includes(date.getUTCDate());
  const byWeekday = weekdays?.includes(date.getUTCDay());
  if (byDay === undefined && byWeekday === undefined) return true;
  return byDay === true || byWeekday === true;
}

/**
 * The fires of a local date, whose midnight is `day` as if it were in UTC. While the clock does not change they are at a fixed
 * distance; around a change, every minute is asked what the clock shows.
 */
function firesOfDay(
  { minutes, hours }: Chosen,
  { day, timezone }: { day: number; timezone: string },
): number[] {
  const wanted = (hours ?? upTo(24)).flatMap((hour) =>
    (minutes ?? upTo(60)).map((minute) => day + (hour * 60 + minute) * MINUTE_MS),
  );
  const [from, to] = [day - MARGIN_MS, day + DAY_MS + MARGIN_MS];
  const offset = shownAt(from, timezone) - from;
  if (shownAt(to, timezone) - to === offset) return ascending(wanted.map((local) => local - offset));
  const shown: Shown[] = [];
  for (let at = from; at < to; at += MINUTE_MS) shown.push({ at, local: shownAt(at, timezone) });
  if (!hours) return shown.filter(({ local }) => wanted.includes(local)).map(({ at }) => at);
  const first = firstShown(shown);
  return ascending(wanted.map((local) => first.get(local) ?? afterTheGap(shown, local)));
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, value) => value);
}

function ascending(moments: readonly number[]): number[] {
  return [...new Set(moments)].toSorted((one, other) => one - other);
}

interface Shown {
  at: number;
  local: number;
}

function firstShown(shown: readonly Shown[]): Map<number, number> {
  const first = new Map<number, number>();
  for (const { at, local } of shown) if (!first.has(local)) first.set(local, at);
  return first;
}

function afterTheGap(shown: readonly Shown[], local: number): number {
  const next = shown.find(
    (minute, place) => minute.local > local && (shown[place - 1]?.local ?? Infinity) < local,
  );
  if (!next) throw new Error(`no clock shows ${new Date(local).toISOString()}, nor jumps over it`);
  return next.at;
}

/** The days, as midnight in UTC, after whose beginning a zone's clock changes. */
export function changedDays(timezone: string, { from, days }: { from: number; days: number }): number[] {
  const offset = (at: number): number => shownAt(at, timezone) - at;
  return Array.from({ length: days }, (_, nth) => from + nth * DAY_MS).filter(
    (day) => offset(day) !== offset(day + DAY_MS),
  );
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function shownAt(at: number, timezone: string): number {
  const formatter =
    formatters.get(timezone) ??
    new Intl.DateTimeFormat("sv-SE", { timeZone: timezone, dateStyle: "short", timeStyle: "short" });
  formatters.set(timezone, formatter);
  // As the Swedes write it, which is as ISO has it: 2026-11-24 09:00.
  return Date.parse(`${formatter.format(at).replace(" ", "T")}Z`);
}
