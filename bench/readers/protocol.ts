import { z } from "zod";

export const ReadersTask = z.object({
  url: z.string(),
  key: z.string(),
  path: z.string(),
  readers: z.number(),
});
export type ReadersTask = z.infer<typeof ReadersTask>;

/** What became of the readers of one process. */
export const ReadersReport = z.object({
  /** Milliseconds from the moment an event names to its arrival. */
  lags: z.array(z.number()),
  /** Events that a reader should have got and did not. */
  lost: z.number(),
  /** The task's last event. */
  events: z.number(),
});
export type ReadersReport = z.infer<typeof ReadersReport>;
