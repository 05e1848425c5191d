import { sql } from "drizzle-orm";
import { z } from "zod";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { executeJob, type WorkDeps } from "#src/work/execute.ts";
import { declareJob, defineJob, type Attempt, type Job, type Outcome } from "#src/work/job.ts";
import { dropJobs, storeJobs } from "#src/work/queries.ts";
import { sweepJobs } from "#src/work/sweep.ts";
import { makeTripsMortal, outside } from "#test/support/mortal.ts";
import { partOf } from "#test/support/part-of.ts";

const declared = declareJob({
  name: "toy",
  payload: z.object({ word: z.string() }),
});

type Payload = z.infer<(typeof declared)["payload"]>;
/** What a toy job reads of its own row. */
type States = { rows: { state: string; claims: number }[] };
export type ToyAttempt = Attempt<Payload, States>;
type Run = (attempt: ToyAttempt) => Promise<Outcome>;

/** Seconds between the attempts of a toy job. */
export const PAUSES = [10, 60] as const;

/** Statement of an outcome that writes a line about the job. */
export const line = (text: string) =>
  sql`INSERT INTO toy_lines (key, line) SELECT key, ${text}::text FROM job`;

/** Statement of an outcome that says in the job's own row how it stands. */
export const state = (text: string) =>
  sql`UPDATE toy_states SET state = ${text}::text FROM job WHERE toy_states.key = job.key`;

/** Jobs of a kind that writes lines, and a queue that does nothing by itself. */
export class ToyJobs {
  readonly published: QueueMessage[] = [];
  readonly #db: Db;

  /** With tables of lines and states, which the database of a test does not have. */
  static async open(db: Db): Promise<ToyJobs> {
    await db.execute(sql`CREATE TABLE IF NOT EXISTS toy_lines (key text NOT NULL, line text NOT NULL)`);
    await db.execute(sql`CREATE TABLE IF NOT EXISTS toy_states (
      key text PRIMARY KEY, state text, claims int NOT NULL DEFAULT 0)`);
    await db.execute(sql`DELETE FROM jobs`);
    return new ToyJobs(db);
  }

  private constructor(db: Db) {
    this.#db = db;
    makeTripsMortal();
  }

  deps(): WorkDeps & { queue: { publishBatch(messages: readonly QueueMessage[]): Promise<void> } } {
    return partOf({
      db: this.#db,
      queue: {
        publish: (message: QueueMessage) => outside(async () => void this.published.push(message)),
        publishBatch: (messages: readonly QueueMessage[]) =>
          outside(async () => void this.published.push(...messages)),
      },
      log: partOf({ info: () => {}, warn: () => {}, error: () => {} }),
    });
  }

  /**
   * The kind, whose jobs are run so. What is given up is a line, too. `behind` names the job that waits for another, by the key of
   * that one.
   */
  kind(run: Run, interrupted?: Run, behind?: Readonly<Record<string, string>>): Job<Payload, object, States> {
    return defineJob(declared, {
      pauses: PAUSES,
      begin: (_db, key) =>
        sql`UPDATE toy_states SET claims = claims + 1 WHERE key = ${key}::text AND EXISTS (SELECT FROM job)`,
      read: (db, key) =>
        db.execute<{ state: string; claims: number }>(
          sql`SELECT state, claims FROM toy_states WHERE key = ${key}::text`,
        ),
      run: (_deps: object, attempt) => run(attempt),
      ...(interrupted && { interrupted: (_deps: object, attempt: ToyAttempt) => interrupted(attempt) }),
      ...(behind && {
        next: (key: string) =>
          storeJobs(declared, sql`FROM job WHERE ${behind[key] ?? null}::text IS NOT NULL`, {
            key: sql`${behind[key] ?? null}::text`,
            payload: { word: sql`'next'::text` },
            share: sql`'shared'`,
          }),
      }),
      onGivingUp: (_key, error) => [line(`given up: ${error}`), state("given up")],
    });
  }

  /** Stores a job as a domain does, by the statement of its own row. Returns its key. */
  async stored(word = "word"): Promise<string> {
    const key = newId();
    await this.store(key, word);
    return key;
  }

  async store(key: string, word: string): Promise<void> {
    await this.#storing(key, word);
  }

  #storing(key: string, word: string) {
    const own = sql`own AS (
      INSERT INTO toy_states (key, state) VALUES (${key}::text, 'stored')
      ON CONFLICT (key) DO UPDATE SET state = 'stored' RETURNING key AS id, ${word}::text AS word
    )`;
    const stored = storeJobs(declared, sql`FROM own`, {
      key: sql`id`,
      payload: { word: sql`word` },
      ...(word.startsWith("shared") && { share: sql`word` }),
    });
    return this.#db.execute<{ id: string }>(sql`WITH ${own}, stored AS (${stored}) SELECT id FROM own`);
  }

  /** Drops the job, as a domain does by the statement that ends what it is for. */
  async drop(key: string): Promise<void> {
    const dropped = dropJobs(declared, sql`SELECT key FROM ended`);
    await this.#db.execute(
      sql`WITH ended AS (UPDATE toy_states SET state = 'ended' WHERE key = ${key}::text RETURNING key) ${dropped}`,
    );
  }

  execute(job: Job<Payload, object, States>, key: string) {
    return executeJob(this.deps(), job, key);
  }

  /** Executes a job as it is stored, under a new key. */
  executeStored(
    job: Job<Payload, object, States>,
    key: string,
    stored: (id: string) => Promise<unknown>,
    { readsAgain = false } = {},
  ) {
    return executeJob(this.deps(), job, key, {
      statement: this.#storing(key, "word"),
      stored: async ({ rows: [row] }) => {
        await stored(row?.id ?? "");
        return { readsAgain };
      },
    });
  }

  sweep(kinds: readonly string[] = ["toy"]): Promise<void> {
    return sweepJobs(this.deps(), kinds);
  }

  /** The job's row, in what matters. */
  async row(key: string) {
    const { rows } = await this.#db.execute<{
      attempts: number;
      error: string | null;
      isGivenUp: boolean;
      isHeld: boolean;
      isDue: boolean;
    }>(sql`SELECT attempts, last_error AS error, failed_at IS NOT NULL AS "isGivenUp",
        coalesce(lease_until > now(), false) AS "isHeld",
        due_at <= now() AS "isDue"
      FROM jobs WHERE kind = 'toy' AND key = ${key}`);
    return rows[0];
  }

  /** Another executor did the job, and it is to be done again. */
  async renew(key: string): Promise<void> {
    await this.#db.execute(sql`DELETE FROM jobs WHERE key = ${key}`);
    await this.store(key, "word");
    await this.takeOver(key);
  }

  /** In the order of the alphabet. */
  async lines(key: string): Promise<string[]> {
    const { rows } = await this.#db.execute<{ line: string }>(
      sql`SELECT line FROM toy_lines WHERE key = ${key} ORDER BY line`,
    );
    return rows.map((row) => row.line);
  }

  /** Seconds between an act, which took from `least` to `most`, and when the job is due since then. */
  async pauseAfter(key: string, act: () => Promise<unknown>): Promise<{ least: number; most: number }> {
    const { rows: before } = await this.#db.execute<{ now: number }>(
      sql`SELECT extract(epoch FROM now())::float AS now`,
    );
    await act();
    const { rows } = await this.#db.execute<{ due: number; now: number }>(
      sql`SELECT extract(epoch FROM due_at)::float AS due, extract(epoch FROM now())::float AS now FROM jobs WHERE key = ${key}`,
    );
    const [{ due, now } = { due: 0, now: 0 }] = rows;
    return { least: due - now, most: due - (before[0]?.now ?? 0) };
  }

  async state(key: string): Promise<string | undefined> {
    const { rows } = await this.#db.execute<{ state: string }>(
      sql`SELECT state FROM toy_states WHERE key = ${key}`,
    );
    return rows[0]?.state;
  }

  /** As if so many seconds had passed. */
  async pass(key: string, seconds: number): Promise<void> {
    await this.#db.execute(sql`UPDATE jobs SET due_at = due_at - make_interval(secs => ${seconds}::int),
      lease_until = lease_until - make_interval(secs => ${seconds}::int) WHERE key = ${key}`);
  }

  /** Another executor takes the job over. */
  async takeOver(key: string): Promise<void> {
    await this.#db.execute(sql`UPDATE jobs SET generation = nextval('job_generations'),
      lease_until = now() + interval '10 seconds' WHERE key = ${key}`);
  }
}
