import type { ScheduleTiming } from "#src/db/schema/index.ts";

/** What a schedule's text says, in the form that is stored. */
export type Timing = ScheduleTiming;

export interface Parsed {
  timing: Timing;
  /**
   * What `normalized_cron` shows: five cron fields, or the moment in UTC of a schedule that runs once. An interval has the
   * fields that other clients expect, although they do not say how it runs: the fields of `every 45m` restart every hour.
   */
  normalized: string;
}
