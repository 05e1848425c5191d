import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";

/**
 * How far the servers of this machine pretend to be, in milliseconds. `npm run bench -- --as-deployed` sets it; without it
 * nothing waits.
 */
const Distances = z.object({
  /** A round trip to the database. */
  database: z.number().min(0).default(0),
  redis: z.number().min(0).default(0),
  /** Until the queue has accepted a message. */
  publish: z.number().min(0).default(0),
  /** From a message that is due until its delivery arrives. */
  delivery: z.number().min(0).default(0),
});

export type Distances = z.input<typeof Distances>;

export const DISTANCES_VARIABLE = "DISTANCES";

/** Of this process. */
export const distances = parseJson(process.env[DISTANCES_VARIABLE] || "{}", Distances);
