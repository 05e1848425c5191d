import type { SQL } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import type { z } from "zod";
import type { Db } from "#src/platform/db/client.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { makeMessage } from "./message.ts";

/**
 * Name and payload of a kind of job: all that an area needs to store one and publish it. `defineJob` adds what is done about
 * it.
 */
export interface JobName<P> {
  /** Unique, also the address of its function: `/functions/{name}`. */
  readonly name: string;
  /** What is stored with the job. Small, and without secrets: an administrator sees it. */
  readonly payload: z.ZodType<P>;
}

export function declareJob<P extends Record<string, unknown>>(name: JobName<P>): JobName<P> {
  return name;
}

/** Another executor has, or may have, taken the job over. The one that finds this out stops at once, and stores nothing. */
export class Superseded extends Error {
  constructor() {
    super("Another executor has taken the job over");
  }
}

/** One attempt at a job, by the only executor that holds its lease. */
export interface Attempt<P, R> {
  payload: P;
  /** What the kind reads as it claims the job. */
  read: R;
  /** From 1, since the job was stored or last got further. */
  readonly attempt: number;
  /** Whether the job is given up if this attempt fails. */
  readonly isLast: boolean;
  /** Whether the executor before this one left no outcome: what that one did outside may have been done. Not after progress. */
  readonly isTakeover: boolean;
  /** When the job was stored last, in milliseconds since 1970. */
  storedAt: number;
  /** Higher than that of every earlier executor of the job, also of one that was done: for services that compare it. */
  term: number;
  /** What is written with each renewal of the lease from now on, as writes of an outcome: how far the job is. */
  withRenewals: (write: () => SQL) => void;
  /** From now on, what the kind reads is read with each renewal of the lease, and told. */
  onRenewal: (tell: (read: R) => void) => void;
  /**
   * Stores a stage of the work in one transaction with a renewal of the lease, and returns what its statements return. Each
   * must have no effect unless `isHeld`, a condition. With `isProgress` the attempts are counted anew, this one as the
   * first. Throws `Superseded`.
   */
  store: <const T extends readonly BatchItem<"pg">[]>(
    statements: (isHeld: SQL<boolean>) => T,
    options?: { isProgress?: boolean },
  ) => Promise<BatchResponse<T>>;
  /** Aborts with `Superseded`: nothing of this attempt can be stored any more. */
  signal: AbortSignal;
}

/**
 * Statements that are stored together with an outcome, by one statement, and only if the attempt's executor still holds the
 * job: each takes its rows `FROM job`, which has a row in that case; its `stored_again` says that the job is done once more.
 * No two may write the same row. Of named ones, a later one may take its rows from what an earlier one returns,
 * `FROM write_{name}`, and then comes after it.
 *
 * The kernel locks the job before its writes lock the area's rows. What locks rows of both elsewhere begins with `lockJob`.
 */
export type Writes = readonly SQL[] | Readonly<Record<string, SQL>>;

/** What an attempt came to. */
export type Outcome = (
  | { kind: "done" }
  /**
   * To be tried again after the kind's next pause, and not before so many seconds; `isFinal` when that cannot help. `cause`
   * is for the log.
   */
  | {
      kind: "failed";
      error: string;
      cause?: unknown;
      isFinal?: boolean;
      notBeforeSeconds?: number | undefined;
    }
  /**
   * Nothing failed, and there is more to do after so many seconds: the attempts are counted anew. With `isBackstop` the job
   * is stored again before that, unless something is lost: no message is published, and the sweep finds it.
   */
  | { kind: "later"; seconds: number; isBackstop?: boolean }
) & {
  writes?: Writes;
  /** What is done once all this is stored. It is not done if the executor dies in between. */
  afterwards?: () => Promise<void>;
};

/** A query that can be part of a batch. */
export type Read<R> = PromiseLike<R> & BatchItem<"pg">;

/** A kind of work that must happen at least once. */
export interface Job<P, S, R = undefined> extends JobName<P> {
  /** What the claim writes, as a write of an outcome. */
  readonly begin?: (db: Db, key: string) => SQL;
  /** A query whose result an attempt needs: it travels with the claim, and sees what that writes. */
  readonly read?: (db: Db, key: string) => Read<R>;
  /** Seconds to wait after each failed attempt. After the attempt that follows the last pause, the job is given up. */
  readonly pauses: readonly number[];
  /** Must be idempotent: an executor can die after its work and before its outcome is stored. Throws as it may fail. */
  run(services: S, attempt: Attempt<P, R>): Promise<Outcome>;
  /** What is done instead of one more attempt if the executor of each has died. Without it the job is given up. */
  interrupted?(services: S, attempt: Attempt<P, R>): Promise<Outcome>;
  /** What is stored after the last attempt's writes when the job is given up, also if all its executors have died. */
  readonly onGivingUp?: (key: string, error: string) => Writes;
  /**
   * For jobs that are done one after another: a statement of `storeJobs` that makes due what waits for this one, at most one
   * job. It goes with the outcome by which a job is done or given up, and takes its row `FROM job`. Then that job is published.
   */
  readonly next?: (key: string) => SQL;
}

/** What is done about a declared job. All kinds are listed in `functions/index.ts`. */
export function defineJob<P, S, R = undefined>(
  name: JobName<P>,
  work: Omit<Job<P, S, R>, keyof JobName<P>>,
): Job<P, S, R> {
  return { ...name, ...work };
}

/** A job that was just stored. */
export interface StoredJob extends Record<string, unknown> {
  key: string;
  generation: string;
}

/** What a message of a job says. */
interface Occasion {
  /** Distinguishes it from earlier messages of the job, which the queue would otherwise take for repetitions. */
  occasion: string;
  /** Whose share of the queue it takes, as stored with the job. */
  share?: string | null | undefined;
  delaySeconds?: number;
}

/** The message that has a stored job executed. */
export function messageOf(
  { name, key }: { name: string; key: string },
  { occasion, share, delaySeconds = 0 }: Occasion,
): QueueMessage {
  return makeMessage(
    name,
    { key },
    {
      deduplicationId: `${name}-${key}-${occasion}`,
      ...(typeof share === "string" && { shareOf: share }),
      ...(delaySeconds > 0 && { delaySeconds }),
    },
  );
}
