import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  primaryKey,
  text,
} from "drizzle-orm/pg-core";
import { at, createdAt } from "./columns.ts";

/** No two generations are equal, also not those of a job that was done and stored again. */
export const jobGenerations = pgSequence("job_generations");

/**
 * What must happen at least once; see src/work. A row is stored by the statement that makes the work necessary, and deleted
 * by the one that records that it is done. A job that was given up stays, with its reason.
 */
export const jobs = pgTable(
  "jobs",
  {
    /** Name of the job's kind, as in `functions/index.ts`. */
    kind: text().notNull(),
    /** What the job is about, such as the id of a task. */
    key: text().notNull(),
    payload: jsonb().$type<Record<string, unknown>>().notNull(),
    /** Whose share of the queue its messages take: the id of a person; null for a job that waits for no others. */
    share: text(),
    /** No executor may begin before. */
    dueAt: at().notNull().defaultNow(),
    /** The executor that has the job keeps it until then, unless it renews the lease. */
    leaseUntil: at(),
    /** Stored again while an executor has it: to be done once more when that one ends, whatever it came to. */
    storedAgain: boolean().notNull().default(false),
    /** Number of the executor that had the job last: writes of earlier ones have no effect. */
    generation: bigint({ mode: "number" })
      .notNull()
      .default(sql`nextval('job_generations')`),
    /** Attempts that were begun since the job was stored, or since an administrator had it tried again. */
    attempts: integer().notNull().default(0),
    /** Why the last attempt failed, as a sentence. */
    lastError: text(),
    /** When the job was given up. */
    failedAt: at(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.key] }),
    // Begins when both have passed: due, and not held.
    index("jobs_due")
      .on(table.kind, sql`greatest(${table.dueAt}, ${table.leaseUntil})`)
      .where(sql`${table.failedAt} IS NULL`),
    index("jobs_given_up")
      .on(table.failedAt, table.kind, table.key)
      .where(sql`${table.failedAt} IS NOT NULL`),
  ],
);
