import { z } from "zod";

export const ReadersTask = z.object({
  url: z.string(),
  key: z.string(),
  path: z.string(),
  readers: z.number(),
});
export type ReadersTask = z.infer<typeof ReadersTask>;

/** Results of the readers of one process. */
export const ReadersReport = z.object({
  /** Milliseconds from an event's timestamp to its arrival. */
  lags: z.array(z.number()),
  /** Events that readers missed. */
  lost: z.number(),
  /** Number of the task's last event. */
  events: z.number(),
});
export type ReadersReport = z.infer<typeof ReadersReport>;
