import type { SQL } from "drizzle-orm";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { messageOf, type Attempt, type Job, type Outcome } from "./job.ts";
import {
  claimJob,
  finishJob,
  giveUpJob,
  LEASE_SECONDS,
  postponeJob,
  releaseJob,
  renewLease,
  type Held,
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

/** A lease survives two renewals that fail. */
const BEAT_MS = 3_000;

const INTERRUPTED = "It was interrupted too many times";
const UNREADABLE = "This version of the service cannot read what the job is about";

/**
 * Executes a job for one delivery of the queue: claims it, runs it while the lease is renewed, and stores what came of it.
 * Returns when to deliver the message again if the job is held by another executor, which may have died, or is not due. A
 * delivery for a job that is done, or was given up, has nothing to do.
 */
export async function executeJob<P, S, R>(
  services: S & WorkDeps,
  job: Job<P, S, R>,
  key: string,
): Promise<Later | undefined> {
  const claimedAt = Date.now();
  const { claimed, read } = await claimJob(services.db, job.name, key, job.read?.(services.db, key));
  if (!claimed) return undefined;
  const { generation, attempts, term, share } = claimed;
  if (generation === null || attempts === null || term === null)
    return { retryAfterSeconds: Math.max(1, claimed.waitSeconds) };
  const held = { kind: job.name, key, generation };
  const isLast = attempts > job.pauses.length;
  if (attempts > job.pauses.length + 1) {
    const outcome = { kind: "failed", error: INTERRUPTED, isFinal: true } as const;
    await store(services, job, held, { attempts, share, outcome });
    return undefined;
  }
  const parsed = job.payload.safeParse(claimed.payload);
  if (!parsed.success) {
    await store(services, job, held, { attempts, share, outcome: { kind: "failed", error: UNREADABLE } });
    return undefined;
  }
  const payload = parsed.data;
  const lease = new Lease(services, held, claimedAt);
  try {
    const { signal } = lease;
    const withRenewals: Attempt<P, R>["withRenewals"] = (write) => {
      lease.writing = write;
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- R is undefined for a kind that reads nothing
    const attempt = { payload, attempt: attempts, isLast, term, read: read as R, withRenewals, signal };
    const outcome = await job.run(services, attempt).catch(failureOf);
    // The executor that took the job over stores its outcome. If there is none, the message comes again.
    if (outcome.kind === "failed" && signal.aborted) return { retryAfterSeconds: 1 };
    await store(services, job, held, { attempts, share, outcome });
    return undefined;
  } finally {
    lease.end();
  }
}

/** An executor's hold of a job, renewed until its end. */
class Lease {
  /** What is written with each renewal. */
  writing: (() => SQL) | undefined;
  readonly #services: WorkDeps;
  readonly #held: Held;
  readonly #lost = new AbortController();
  readonly #heartbeat: ReturnType<typeof setInterval>;
  #renewedAt: number;

  constructor(services: WorkDeps, held: Held, claimedAt: number) {
    this.#services = services;
    this.#held = held;
    this.#renewedAt = claimedAt;
    this.#heartbeat = setInterval(() => void this.#beat(), BEAT_MS);
  }

  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  end(): void {
    clearInterval(this.#heartbeat);
  }

  async #beat(): Promise<void> {
    const begun = Date.now();
    // Another executor may have it by now. A renewal that hangs does not say so.
    if (begun - this.#renewedAt > LEASE_SECONDS * 1000) this.#lost.abort();
    try {
      const isHeld = await renewLease(this.#services.db, this.#held, this.writing && [this.writing()]);
      if (isHeld) this.#renewedAt = Math.max(this.#renewedAt, begun);
      else this.#lost.abort();
    } catch (cause) {
      const { kind, key } = this.#held;
      this.#services.log.warn("a job's lease was not renewed", { kind, key, cause });
    }
  }
}

function failureOf(cause: unknown): Outcome {
  const [error, isFinal] =
    cause instanceof AppError ? [cause.message, !cause.retryable] : ["An internal error occurred", false];
  return { kind: "failed", error, isFinal, cause };
}

/** What a kind says of its failures. */
type Failing = Pick<Job<never, never, never>, "name" | "pauses" | "onGivingUp">;

/** What came of an attempt, whose job this was, and whose share of the queue it takes. */
interface Attempted {
  attempts: number;
  share: string | null;
  outcome: Outcome;
}

async function store(services: WorkDeps, job: Failing, held: Held, made: Attempted): Promise<void> {
  if (await settle(services, job, held, made)) return;
  // It was stored again since it was claimed, or is another executor's by now.
  if (await releaseJob(services.db, held, made.outcome.writes)) await publishNext(services, held, made, 0);
}

/** False, and nothing is stored, for a job that was stored again, and for an executor that has lost it. */
async function settle(services: WorkDeps, job: Failing, held: Held, made: Attempted): Promise<boolean> {
  const { attempts, outcome } = made;
  if (outcome.kind === "done") return finishJob(services.db, held, outcome.writes);
  if (outcome.kind === "later")
    return postpone(services, held, made, { seconds: outcome.seconds, error: null });
  const { error, cause = error, isFinal = false } = outcome;
  const seconds = job.pauses[attempts - 1];
  if (isFinal || seconds === undefined) return giveUp(services, job, held, outcome);
  services.log.warn("a job failed, and is tried again", { ...held, attempt: attempts, cause });
  return postpone(services, held, made, { seconds, error });
}

async function postpone(
  services: WorkDeps,
  held: Held,
  made: Attempted,
  when: { seconds: number; error: string | null },
): Promise<boolean> {
  const isPostponed = await postponeJob(services.db, held, when, made.outcome.writes);
  if (isPostponed) await publishNext(services, held, made, when.seconds);
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

async function giveUp(
  { db, log }: WorkDeps,
  { onGivingUp }: Failing,
  held: Held,
  { error, cause = error, writes }: Extract<Outcome, { kind: "failed" }>,
): Promise<boolean> {
  const afterwards = onGivingUp?.(held.key, error);
  const isGivenUp = await giveUpJob(db, held, { error, writes, afterwards });
  if (isGivenUp) log.error("a job was given up", { kind: held.kind, key: held.key, cause });
  return isGivenUp;
}
