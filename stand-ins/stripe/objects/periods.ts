/** Adds months or other intervals to a time in seconds; the 31st becomes the last day of a shorter month, as in Stripe. */
export function addInterval(from: number, { interval, count }: { interval: string; count: number }): number {
  if (interval === "day") return from + count * DAY;
  if (interval === "week") return from + count * 7 * DAY;
  const months = interval === "year" ? 12 * count : count;
  const date = new Date(from * 1000);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return Math.floor(date.getTime() / 1000);
}

const DAY = 86_400;
