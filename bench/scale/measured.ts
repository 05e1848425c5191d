import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";

/** The results of `measure.ts`. */
export const MEASURED_FILE = path.join(import.meta.dirname, "measured.json");

const MeasuredTask = z.object({
  turns: z.number(),
  toolCalls: z.number(),
  /** From the invoke to the end of its event stream. */
  seconds: z.number(),
  /** Deliveries of the queue, by function. */
  deliveries: z.record(z.string(), z.number()),
  /** Round trips of the invoke, the stream of its one reader, all steps and all deliveries. */
  trips: z.object({ db: z.number(), publish: z.number(), objects: z.number() }),
  /** CPU of workerd, objects included, in milliseconds. */
  workerCpuMs: z.number(),
  database: z.object({
    /** CPU of the server's processes in milliseconds. */
    cpuMs: z.number(),
    /** Growth in bytes of each table with its indexes; tables that hardly grow are left out. */
    bytesStored: z.record(z.string(), z.number()),
    /** Bytes of the statements' results. */
    bytesRead: z.number(),
  }),
  /** The task's log object, after the end. */
  log: z.object({
    bytes: z.number(),
    events: z.number(),
    eventRows: z.number(),
    eventBytes: z.number(),
    writes: z.number(),
  }),
});

export type MeasuredTask = z.infer<typeof MeasuredTask>;

const Measured = z.object({ date: z.iso.date(), short: MeasuredTask, typical: MeasuredTask });
export type Measured = z.infer<typeof Measured>;

export function readMeasured(): Measured {
  return parseJson(readFileSync(MEASURED_FILE, "utf8"), Measured);
}
