import { Cron } from "croner";

/** Five fields of numbers, `*`, lists, ranges and steps. croner alone would also take names, `@daily`, `L` and `?`. */
const FIELDS = /^(?:[\d*,/-]+\s+){4}(?<weekdays>[\d*,/-]+)$/u;

/**
 * Returns the moments of a cron expression, in UTC. `sunday` is the number of that day: 0 in standard cron, 1 at Cloudflare.
 * Returns undefined for an expression that is not understood, and for one whose date never comes, such as 31 February.
 */
export function numericCron(expression: string, { sunday }: { sunday: 0 | 1 }): Cron | undefined {
  const weekdays = FIELDS.exec(expression.trim())?.groups?.["weekdays"];
  // croner gives Sunday a second number, 7 more than its first. Cloudflare does not know it.
  if (weekdays === undefined || new RegExp(`(?<!/)${7 + sunday}`, "u").test(weekdays)) return undefined;
  try {
    const cron = new Cron(expression, {
      mode: "5-part",
      timezone: "UTC",
      alternativeWeekdays: sunday === 1,
    });
    return cron.nextRun() === null ? undefined : cron;
  } catch {
    return undefined;
  }
}
