import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { messageOf, type Attempt, type Job, type Outcome, type Read } from "./job.ts";
import { Lease } from "./lease.ts";
import {
  claimJob,
  finishJob,
  giveUpJob,
  postponeJob,
  releaseJob,
  type Held,
  type NextJob,
} from "./queries.ts";

export interface WorkDeps {
  db: Db;
  queue: Pick<Queue, "publish">;
  log: Log;
}

/** Requests a redelivery of the message after at least this many seconds. */
export interface Later {
  retryAfterSeconds: number;
}

const INTERRUPTED = "It was interrupted too many times";
const UNREADABLE = "This version of the service cannot read what the job is about";

/** A statement that stores the job that is executed, in the round trip of its claim. */
export interface Storing<T> {
  statement: Read<T>;
  /**
   * What is done with its result before the job is run. Returns whether the job reads again what it has read, since that took
   * long. If it throws, the job is left to a later attempt.
   */
  stored: (result: T) => Promise<{ readsAgain: boolean }>;
}

/**
 * Executes a job for one delivery of the queue, or as it is stored: claims it, runs it while the lease is renewed, and
 * stores what came of it. Returns when to deliver the message again if the job is held by another executor, which may have
 * died, or is not due. A delivery for a job that is done, or was given up, has nothing to do.
 */
export async function executeJob<P, S, R, T = undefined>(
  services: S & WorkDeps,
  job: Job<P, S, R>,
  key: string,
  storing?: Storing<T>,
): Promise<Later | undefined> {
  const claimedAt = Date.now();
  const { db } = services;
  const { claimed, read, ...first } = await claimJob<R, T>(
    db,
    { kind: job.name, key },
    { storing: storing?.statement, begin: job.begin?.(db, key), reading: job.read?.(db, key) },
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- T is what the statement returned
  const tellStored = async () => storing?.stored(first.stored as T);
  const { generation = null, attempts = null, term = null, share = null } = claimed ?? {};
  if (!claimed || generation === null || attempts === null || term === null) {
    await tellStored();
    return claimed && { retryAfterSeconds: Math.max(1, claimed.waitSeconds) };
  }
  const held = { kind: job.name, key, generation };
  const { pauses } = job;
  const made = { attempts, share, isTakeover: claimed.isTakeover };
  if (made.isTakeover) services.log.info("a job is taken over from an executor that left no outcome", held);
  const parsed = job.payload.safeParse(claimed.payload);
  if (!parsed.success) {
    await settle(services, job, held, { ...made, outcome: { kind: "failed", error: UNREADABLE } });
    return undefined;
  }
  const lease = new Lease<R>(services, held, {
    since: claimedAt,
    reading: () => job.read?.(db, key),
  });
  const attempt: Attempt<P, R> = {
    payload: parsed.data,
    term,
    storedAt: claimed.storedAt,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- R is undefined for a kind that reads nothing
    read: read as R,
    get attempt() {
      return made.attempts;
    },
    get isLast() {
      return made.attempts > pauses.length;
    },
    get isTakeover() {
      return made.isTakeover;
    },
    withRenewals: (write) => {
      lease.writing = write;
    },
    onRenewal: (tell) => {
      lease.telling = tell;
    },
    store: async (statements, options) => {
      const stored = await lease.store(statements, options);
      if (options?.isProgress) Object.assign(made, { attempts: 1, isTakeover: false });
      return stored;
    },
    signal: lease.signal,
  };
  try {
    const told = await tellStored().catch(async (error: unknown): Promise<never> => {
      await settle(services, job, held, { ...made, outcome: { kind: "later", seconds: 1 } });
      throw error;
    });
    if (told?.readsAgain && job.read) attempt.read = await job.read(db, key);
    const outcome = await runOnce(services, job, attempt);
    // The executor that took the job over stores its outcome. If there is none, the message comes again.
    if (outcome.kind === "failed" && lease.signal.aborted) return { retryAfterSeconds: 1 };
    await settle(services, job, held, { ...made, outcome });
    return undefined;
  } finally {
    lease.end();
  }
}

async function runOnce<P, S, R>(services: S, job: Job<P, S, R>, attempt: Attempt<P, R>): Promise<Outcome> {
  try {
    // One more than there are attempts: the executor of each has died.
    if (attempt.attempt <= job.pauses.length + 1) return await job.run(services, attempt);
    if (job.interrupted) return await job.interrupted(services, attempt);
    return { kind: "failed", error: INTERRUPTED, isFinal: true };
  } catch (cause) {
    return failureOf(cause);
  }
}

function failureOf(cause: unknown): Outcome {
  const [error, isFinal] =
    cause instanceof AppError ? [cause.message, !cause.retryable] : ["An internal error occurred", false];
  return { kind: "failed", error, isFinal, cause };
}

/** What a kind says of its failures. */
type Failing = Pick<Job<never, never, never>, "name" | "pauses" | "onGivingUp" | "next">;

/** What came of an attempt, whose job this was, and whose share of the queue it takes. */
interface Attempted {
  attempts: number;
  share: string | null;
  outcome: Outcome;
}

/** Stores what came of an attempt, unless its executor has lost the job. */
async function settle(services: WorkDeps, job: Failing, held: Held, made: Attempted): Promise<void> {
  const isStored = (await end(services, job, held, made)) || (await release(services, held, made));
  if (isStored) await made.outcome.afterwards?.();
}

/** False, and nothing is stored, for a job that was not stored again since it was claimed. */
async function release(services: WorkDeps, held: Held, made: Attempted): Promise<boolean> {
  const isReleased = await releaseJob(services.db, held, made.outcome.writes);
  if (isReleased) await publishNext(services, held, made, 0);
  return isReleased;
}

/** False, and nothing is stored, for a job that was stored again, and for an executor that has lost it. */
async function end(services: WorkDeps, job: Failing, held: Held, made: Attempted): Promise<boolean> {
  const { attempts, outcome } = made;
  if (outcome.kind === "done") {
    const next = await finishJob(services.db, held, outcome.writes, job.next?.(held.key));
    return publishAfter(services, held, next);
  }
  if (outcome.kind === "later") {
    const { seconds, isBackstop = false } = outcome;
    return postpone(services, held, made, { seconds, error: null, isBackstop });
  }
  const { error, cause = error, isFinal = false, notBeforeSeconds = 0 } = outcome;
  const pause = job.pauses[attempts - 1];
  if (isFinal || pause === undefined) return giveUp(services, job, held, outcome);
  const seconds = Math.max(pause, Math.ceil(notBeforeSeconds));
  services.log.warn("a job failed, and is tried again", { ...held, attempt: attempts, cause });
  return postpone(services, held, made, { seconds, error });
}

async function postpone(
  services: WorkDeps,
  held: Held,
  made: Attempted,
  { isBackstop = false, ...when }: { seconds: number; error: string | null; isBackstop?: boolean },
): Promise<boolean> {
  const isPostponed = await postponeJob(services.db, held, when, made.outcome.writes);
  if (isPostponed && !isBackstop) await publishNext(services, held, made, when.seconds);
  return isPostponed;
}

async function publishNext(
  { queue }: WorkDeps,
  { kind: name, key, generation }: Held,
  { share }: Attempted,
  delaySeconds: number,
): Promise<void> {
  await queue.publish(messageOf({ name, key }, { occasion: `after-${generation}`, share, delaySeconds }));
}

/** Publishes the jobs that waited for one that is over now. False if it is not. */
async function publishAfter(
  { queue }: WorkDeps,
  { kind: name, generation }: Held,
  next: readonly NextJob[] | undefined,
): Promise<boolean> {
  for (const { key, share } of next ?? [])
    await queue.publish(messageOf({ name, key }, { occasion: `after-${generation}`, share }));
  return next !== undefined;
}

async function giveUp(
  services: WorkDeps,
  job: Failing,
  held: Held,
  { error, cause = error, writes }: Extract<Outcome, { kind: "failed" }>,
): Promise<boolean> {
  const { kind, key } = held;
  const [afterwards, next] = [job.onGivingUp?.(key, error), job.next?.(key)];
  const due = await giveUpJob(services.db, held, { error, writes, afterwards, next });
  if (due) services.log.error("a job was given up", { kind, key, cause });
  return publishAfter(services, held, due);
}
