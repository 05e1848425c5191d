/** Periods to look at. Days are those of UTC, as the service counts them. */
export const PERIODS = {
  week: "Last 7 days",
  month: "Last 30 days",
  this: "This month",
  last: "Last month",
} as const;

export type Period = keyof typeof PERIODS;

/** The first and the last day of a period, as `2027-01-31`. */
export interface Days {
  readonly first: string;
  readonly last: string;
}

const DAY_MS = 86_400_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** The days of a period, seen from a moment. */
export function daysOf(period: Period, now: number): Days {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const days: Record<Period, Days> = {
    week: { first: dayOf(now - 6 * DAY_MS), last: dayOf(now) },
    month: { first: dayOf(now - 29 * DAY_MS), last: dayOf(now) },
    this: { first: dayOf(Date.UTC(year, month)), last: dayOf(now) },
    last: { first: dayOf(Date.UTC(year, month - 1)), last: dayOf(Date.UTC(year, month, 0)) },
  };
  return days[period];
}

/** Each day from the first to the last. */
export function eachDay({ first, last }: Days): string[] {
  const days: string[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS) days.push(dayOf(at));
  return days;
}

/** The days as the service takes a span of time, to the end of the last one. */
export const spanOf = ({ first, last }: Days) => ({
  start_date: first,
  end_date: `${last}T23:59:59.999Z`,
});
