import { sql, type SQL } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import { statement, type Slot } from "#src/db/statement.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { JobName, Read, Writes } from "./job.ts";

/** A lease ends so long after its last renewal: an executor that was killed blocks its job for at most that long. */
export const LEASE_SECONDS = 10;

/** The key of a job, and which executor holds it. */
export interface Held {
  kind: string;
  key: string;
  generation: string;
}

const isHeld = sql`coalesce(jobs.lease_until > now(), false)`;

/**
 * Statement that stores a job for each row of a query, for the statement of the domain that makes it necessary. `key`, the
 * payload's fields and `share` are values of that row. A job of the same key is to be done anew, at once, also one that was
 * given up; one that an executor holds is done once more when that one ends. Returns their keys and generations.
 */
export function storeJobs<P extends Record<string, unknown>>(
  job: JobName<P>,
  from: SQL,
  columns: JobColumns<P>,
): SQL {
  return storingFrom(literal(job), from, columns);
}

/**
 * As `storeJobs`, for kinds whose jobs of a row say the same: of each kind where its condition holds. One statement is planned
 * faster than one for each kind.
 */
export function storeJobsOfKinds<P extends Record<string, unknown>>(
  kinds: readonly { job: JobName<P>; where: SQL }[],
  from: SQL,
  columns: JobColumns<P>,
): SQL {
  const values = kinds.map(({ job, where }) => sql`(${literal(job)}, ${where})`);
  const each = sql`CROSS JOIN LATERAL (VALUES ${sql.join(values, sql`, `)}) AS kinds (kind, is_stored)`;
  return storingFrom(sql`kinds.kind`, sql`${from} ${each} WHERE is_stored`, columns);
}

/** What is stored of a job, as values of the row that it is stored for. */
interface JobColumns<P> {
  key: SQL;
  payload: { readonly [Field in keyof P]: SQL };
  share?: SQL;
}

/** Not rounded up, as the column would: the same transaction may claim the job. */
const AT_ONCE = sql`date_trunc('milliseconds', now())`;

const literal = ({ name }: { name: string }) => sql.raw(`'${name}'`);

function storingFrom<P>(kind: SQL, from: SQL, { key, payload, share }: JobColumns<P>): SQL {
  const fields = Object.entries<SQL>(payload).map(
    ([field, value]) => sql`${sql.raw(`'${field}'`)}, ${value}`,
  );
  return sql`INSERT INTO jobs (kind, key, payload, share, due_at)
    SELECT ${kind}, ${key}, jsonb_build_object(${sql.join(fields, sql`, `)}),
      ${share ?? sql`NULL`}::text, ${AT_ONCE} ${from}
    ON CONFLICT (kind, key) DO UPDATE SET payload = excluded.payload, share = excluded.share, due_at = excluded.due_at,
      attempts = 0, last_error = NULL, failed_at = NULL, created_at = now(), stored_again = ${isHeld},
      lease_until = CASE WHEN ${isHeld} THEN jobs.lease_until END,
      generation = CASE WHEN ${isHeld} THEN jobs.generation ELSE excluded.generation END
    RETURNING key, generation::text, share, stored_again`;
}

/** Value of a statement: seconds until a job is due and not held; negative once it is, null without such a job. */
export function secondsUntilDue(job: { name: string }, key: SQL): SQL<number | null> {
  return sql`(SELECT extract(epoch FROM greatest(due_at, lease_until) - now())::float FROM jobs
    WHERE kind = ${literal(job)} AND key = ${key})`;
}

/** Locks a job, if it is there: goes before the locks of the rows that its outcome writes. */
export function lockJob({ name }: { name: string }, db: Db, key: string) {
  return db.execute(sql`SELECT 1 FROM jobs WHERE kind = ${name}::text AND key = ${key}::text FOR UPDATE`);
}

/**
 * Statement that drops the jobs whose keys a query returns, for the statement of the domain that ends what they are for. An
 * executor that holds one loses it.
 */
export function dropJobs({ name }: { name: string }, keys: SQL): SQL {
  return sql`DELETE FROM jobs WHERE kind = ${name}::text AND key IN (${keys})`;
}

export interface ClaimedJob extends Record<string, unknown> {
  payload: unknown;
  share: string | null;
  /** Of the executor that has claimed the job; null while it is held, or not due. */
  generation: string | null;
  attempts: number | null;
  /** When the lease ends unless it is renewed, in milliseconds since 1970. */
  term: number | null;
  /** Whether the executor before this one left no outcome. */
  isTakeover: boolean;
  /** When the job was stored last, in milliseconds since 1970. */
  storedAt: number;
  /** Seconds until the job is due and not held, as it was before. */
  waitSeconds: number;
}

type Text = string | Slot<string>;

const claim = ({ kind, key }: { kind: Text; key: Text }, begin?: SQL) => sql`
    WITH job AS (
      UPDATE jobs SET generation = nextval('job_generations'), attempts = attempts + 1, stored_again = false,
        lease_until = now() + make_interval(secs => ${sql.raw(String(LEASE_SECONDS))})
      WHERE kind = ${kind}::text AND key = ${key}::text AND failed_at IS NULL
        AND greatest(due_at, lease_until) <= now()
      RETURNING key, payload, generation::text, attempts, (extract(epoch FROM lease_until) * 1000)::float AS term
    )${begin ? sql`, begun AS (${begin})` : sql``}
    SELECT coalesce(job.payload, jobs.payload) AS payload, share, job.generation, job.attempts, job.term,
      jobs.lease_until IS NOT NULL AS "isTakeover", (extract(epoch FROM jobs.created_at) * 1000)::float AS "storedAt",
      ceil(extract(epoch FROM greatest(due_at, lease_until) - now()))::int AS "waitSeconds"
    FROM jobs LEFT JOIN job ON true
    WHERE kind = ${kind}::text AND jobs.key = ${key}::text AND failed_at IS NULL`;

const claiming = statement((db, named: { kind: Slot<string>; key: Slot<string> }) =>
  db.execute<ClaimedJob>(claim(named)),
);

/**
 * Claims a job that is due and that no executor holds, with a write of its kind, and reads in the same round trip, in which it may
 * also be stored first. No `claimed` when there is nothing to do: the job is done, given up, or was not stored.
 */
export async function claimJob<R, T>(
  db: Db,
  job: { kind: string; key: string },
  { storing, begin, reading }: Record<"begin", SQL | undefined> & Claiming<R, T>,
): Promise<{ stored: T | undefined; claimed: ClaimedJob | undefined; read: R | undefined }> {
  const claimed = begin ? db.execute<ClaimedJob>(claim(job, begin)) : claiming(db, job);
  if (!storing && !reading) {
    return { stored: undefined, claimed: (await claimed).rows[0], read: undefined };
  }
  const statements: [BatchItem<"pg">, ...BatchItem<"pg">[]] = storing ? [storing, claimed] : [claimed];
  if (reading) statements.push(reading);
  const results: unknown[] = [...(await db.batch(statements))];
  // oxlint-disable typescript/no-unsafe-type-assertion -- what each returns by itself
  const stored = storing && (results.shift() as T);
  const [{ rows }, read] = results as [Awaited<typeof claimed>, R | undefined];
  // oxlint-enable typescript/no-unsafe-type-assertion
  return { stored, claimed: rows[0], read };
}

interface Claiming<R, T> {
  storing: Read<T> | undefined;
  reading: Read<R> | undefined;
}

const held = ({ kind, key, generation }: Held) =>
  sql`kind = ${kind}::text AND key = ${key}::text AND generation = ${generation}::bigint AND failed_at IS NULL`;

/** What writes take `FROM job`. */
const TAKEN = sql`RETURNING key, stored_again`;

const renewal = (job: Held, { isProgress = false } = {}) => sql`UPDATE jobs
  SET lease_until = now() + make_interval(secs => ${LEASE_SECONDS}::int)${isProgress ? sql`, attempts = 1` : sql``}
  WHERE ${held(job)} ${TAKEN}`;

/**
 * Renews a lease, with writes of an outcome, and reads in the same round trip. Not held, and nothing is written, when the job
 * is not this executor's any more.
 */
export async function renewLease<R>(
  db: Db,
  job: Held,
  { writes, reading }: { writes: Writes | undefined; reading: Read<R> | undefined },
): Promise<{ isHeld: boolean; read: R | undefined }> {
  const renewed = settling(db, renewal(job), writes);
  if (!reading) return { isHeld: (await renewed).rows.length > 0, read: undefined };
  const [{ rows }, read] = await db.batch([renewed, reading]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the query returns by itself
  return { isHeld: rows.length > 0, read: read as R };
}

/**
 * Runs statements in one transaction with the renewal of a lease, which keeps other executors out until its end. Undefined when
 * the job is not this executor's any more: then `isHeld` is false in each statement. With `isProgress` the attempts are counted
 * anew.
 */
export async function storeStage<const T extends readonly BatchItem<"pg">[]>(
  db: Db,
  job: Held,
  statements: (isHeld: SQL<boolean>) => T,
  options: { isProgress?: boolean } = {},
): Promise<BatchResponse<T> | undefined> {
  const isHeldBy = sql<boolean>`EXISTS (SELECT 1 FROM jobs WHERE ${held(job)})`;
  const [renewed, ...stored] = await db.batch([db.execute(renewal(job, options)), ...statements(isHeldBy)]);
  return renewed.rows.length > 0 ? stored : undefined;
}

/** A job that another one has kept waiting, and the share of the queue that its messages take. */
export interface NextJob extends Record<string, unknown> {
  key: string;
  share: string | null;
}

/**
 * Stores that a job is done, with the outcome's own writes, and makes the next one due. Returns the latter. Undefined, and
 * nothing is stored, for an executor that has lost its job, and for a job that was stored again since: that is for `releaseJob`.
 */
export async function finishJob(
  db: Db,
  job: Held,
  writes: Writes | undefined,
  next: SQL | undefined,
): Promise<NextJob[] | undefined> {
  const { rows } = await settling(
    db,
    sql`DELETE FROM jobs WHERE ${held(job)} AND NOT stored_again ${TAKEN}`,
    writes,
    next,
  );
  return nextOf(rows);
}

/**
 * Stores when a job is tried again, as `finishJob`. Without an error its attempts are counted anew. A renewal that is still on
 * its way has no effect.
 */
export function postponeJob(
  db: Db,
  job: Held,
  { seconds, error }: { seconds: number; error: string | null },
  writes: Writes | undefined,
): Promise<boolean> {
  const attempts = error === null ? sql`0` : sql`attempts`;
  return settle(
    db,
    sql`UPDATE jobs SET due_at = now() + make_interval(secs => ${seconds}::int), lease_until = NULL,
      generation = nextval('job_generations'), attempts = ${attempts}, last_error = ${error}::text
      WHERE ${held(job)} AND NOT stored_again ${TAKEN}`,
    writes,
  );
}

/**
 * Stores that a job is given up, and makes the next one due, as `finishJob`. The writes of its last attempt come first, then
 * those of the giving up. They are two statements, since both may write the same row, of which one statement does one alone.
 */
export async function giveUpJob(
  db: Db,
  job: Held,
  {
    error,
    writes,
    afterwards,
    next,
  }: { error: string; writes: Writes | undefined; afterwards: Writes | undefined; next: SQL | undefined },
): Promise<NextJob[] | undefined> {
  const isLast = sql`${held(job)} AND NOT stored_again`;
  const [, { rows }] = await db.batch([
    settling(db, sql`UPDATE jobs SET last_error = ${error}::text WHERE ${isLast} ${TAKEN}`, writes),
    settling(
      db,
      sql`UPDATE jobs SET failed_at = now(), lease_until = NULL WHERE ${isLast} ${TAKEN}`,
      afterwards,
      next,
    ),
  ]);
  return nextOf(rows);
}

/**
 * Makes a job due that was stored again while its executor was at work, with the writes of that executor's outcome. False, and
 * nothing, for an executor that has lost it.
 */
export function releaseJob(db: Db, job: Held, writes: Writes | undefined): Promise<boolean> {
  return settle(
    db,
    sql`UPDATE jobs SET lease_until = NULL, generation = nextval('job_generations'), attempts = 0
      WHERE ${held(job)} AND stored_again ${TAKEN}`,
    writes,
  );
}

async function settle(db: Db, job: SQL, writes: Writes | undefined): Promise<boolean> {
  return (await settling(db, job, writes)).rows.length > 0;
}

/** A job whose outcome is stored, and the next one, if there is one that no executor has. */
interface Settled extends Record<string, unknown> {
  key: string;
  nextKey?: string | null;
  nextShare?: string | null;
}

function settling(db: Db, job: SQL, writes: Writes = [], next?: SQL) {
  const also = Object.entries<SQL>(writes).map(
    ([name, write]) => sql`, ${sql.raw(`write_${name}`)} AS (${write})`,
  );
  const settled = next
    ? sql`, next AS (${next}) SELECT job.key, next.key AS "nextKey", next.share AS "nextShare"
        FROM job LEFT JOIN next ON NOT next.stored_again`
    : sql`SELECT key FROM job`;
  return db.execute<Settled>(sql`WITH job AS (${job}) ${sql.join(also, sql``)} ${settled}`);
}

function nextOf(settled: readonly Settled[]): NextJob[] | undefined {
  if (settled.length === 0) return undefined;
  return settled.flatMap(({ nextKey: key, nextShare: share = null }) =>
    typeof key === "string" ? [{ key, share }] : [],
  );
}

export interface DueJob extends Record<string, unknown> {
  name: string;
  key: string;
  share: string | null;
}

/**
 * Jobs of these kinds, at most so many of each, that have been due, and held by nobody, for some seconds: for longer where
 * they take a share of the queue, in which their message may still wait. The longest due come first.
 */
export async function dueJobs(
  db: Db,
  kinds: readonly string[],
  { seconds, sharingSeconds, limit }: { seconds: number; sharingSeconds: number; limit: number },
): Promise<DueJob[]> {
  const { rows } = await db.execute<DueJob>(sql`
    SELECT kinds.name, due.key, due.share FROM jsonb_array_elements_text(${JSON.stringify(kinds)}::jsonb) AS kinds (name)
    CROSS JOIN LATERAL (
      SELECT key, share FROM jobs
      -- Compared with now() for the index, which cannot serve what depends on the row.
      WHERE kind = kinds.name AND failed_at IS NULL AND greatest(due_at, lease_until) < now()
        AND greatest(due_at, lease_until) < now() - make_interval(
          secs => CASE WHEN share IS NULL THEN ${seconds}::int ELSE ${sharingSeconds}::int END)
      ORDER BY greatest(due_at, lease_until) LIMIT ${limit}::int
    ) AS due
  `);
  return rows;
}
