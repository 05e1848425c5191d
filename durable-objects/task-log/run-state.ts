import type { Begun, Control, StopReason, TurnRecord } from "./protocol.ts";

export const RUN_TABLES = `
  CREATE TABLE run (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    task_id TEXT NOT NULL, chat_id TEXT NOT NULL,
    generation INTEGER NOT NULL DEFAULT 0,
    step INTEGER NOT NULL DEFAULT 1,
    launches INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    executor TEXT NOT NULL DEFAULT 'none',
    sequence INTEGER NOT NULL DEFAULT 0,
    last_seen INTEGER NOT NULL,
    stop TEXT,
    closed_at INTEGER,
    settled INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE turn_record (
    iteration INTEGER NOT NULL, kind TEXT NOT NULL, call_id TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (iteration, kind, call_id));`;

/** The time until which a task waits for somebody's answer, without an executor. */
export const PARKED_COLUMN = "ALTER TABLE run ADD COLUMN parked_until INTEGER;";

interface RunRow extends Record<string, SqlStorageValue> {
  task_id: string;
  generation: number;
  step: number;
  launches: number;
  attempts: number;
  /** `released`: the last executor failed and said so; its turn is unfinished, yet nobody need wait for its silence. */
  executor: "none" | "running" | "released";
  sequence: number;
  last_seen: number;
  stop: StopReason | null;
  closed_at: number | null;
  settled: number;
  parked_until: number | null;
}

/** What the watchdog finds when it looks. Times in milliseconds since the epoch. */
export type Condition =
  | { kind: "unknown" }
  | { kind: "waiting"; taskId: string; launches: number }
  | { kind: "alive"; until: number }
  | { kind: "parked"; until: number }
  | { kind: "stalled"; taskId: string; step: number; launches: number }
  | { kind: "unsettled"; taskId: string; launches: number }
  | { kind: "kept"; since: number };

/**
 * Who executes a task and how far it is. Every executor is a generation; only the newest may write, so one that was
 * taken for dead and is not stops at its next write. Times are passed in.
 */
export class RunState {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Whether this made the log; one that is open stays as it is. */
  open(taskId: string, now: number): boolean {
    if (this.known) return false;
    // Nothing reads the chat's id any more; tables of before want one.
    this.#sql.exec(
      "INSERT INTO run (only_row, task_id, chat_id, last_seen) VALUES (1, ?, '', ?)",
      taskId,
      now,
    );
    return true;
  }

  begin(
    step: number,
    lastEventId: number,
    limits: { now: number; stallMs: number; maxAttempts: number },
  ): Begun {
    const run = this.#row();
    if (!run || run.settled || step < run.step) return { kind: "skip" };
    if (isParked(run, limits.now)) return { kind: "skip" };
    const aliveForMs = run.last_seen + limits.stallMs - limits.now;
    if (run.executor === "running" && aliveForMs > 0) {
      return { kind: "busy", retryAfterSeconds: Math.ceil(aliveForMs / 1000) };
    }
    const generation = run.generation + 1;
    const attempts = run.attempts + 1;
    this.#sql.exec(
      "UPDATE run SET generation = ?, attempts = ?, executor = 'running', sequence = 0, last_seen = ?, parked_until = NULL",
      generation,
      attempts,
      limits.now,
    );
    if (attempts > limits.maxAttempts) return { kind: "exhausted", generation, attempts: attempts - 1 };
    const records = this.#sql
      .exec<TurnRecord & Record<string, SqlStorageValue>>(
        `SELECT iteration, kind, call_id AS "callId", value FROM turn_record ORDER BY iteration`,
      )
      .toArray();
    const restarted = run.executor !== "none";
    return { kind: "run", generation, stop: run.stop, records, lastEventId, restarted };
  }

  /** A sign of life. */
  seen(generation: number, now: number): Control {
    const run = this.#row();
    if (!run || run.generation !== generation || run.executor !== "running")
      return { stale: true, stop: null };
    this.#sql.exec("UPDATE run SET last_seen = ?", now);
    return { stale: false, stop: run.stop };
  }

  /** Whether a write is the next one; one that was counted before is a repetition. */
  advance(sequence: number): boolean {
    if (sequence <= this.#require().sequence) return false;
    this.#sql.exec("UPDATE run SET sequence = ?", sequence);
    return true;
  }

  /** A new answer or result is progress: the count of attempts starts over. */
  record(records: readonly TurnRecord[]): void {
    for (const { iteration, kind, callId, value } of records) {
      this.#sql.exec(
        "INSERT INTO turn_record (iteration, kind, call_id, value) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        iteration,
        kind,
        callId,
        value,
      );
    }
    if (records.some(({ kind }) => kind !== "started" && kind !== "asked"))
      this.#sql.exec("UPDATE run SET attempts = 0");
  }

  /** The turns up to here are in the database; their records have served. */
  forgetTurns(upTo: number): void {
    this.#sql.exec("DELETE FROM turn_record WHERE iteration <= ?", upTo);
  }

  /** The step is over and another one takes the task on; its executor need not wait for silence. */
  endStep(now: number): number {
    this.#sql.exec("UPDATE run SET step = step + 1, executor = 'none', attempts = 0, last_seen = ?", now);
    return this.#require().step;
  }

  /** The step is over; another one takes the task on once somebody has answered, or when the time is up. */
  park(now: number, until: number): void {
    this.endStep(now);
    this.#sql.exec("UPDATE run SET parked_until = ?", until);
  }

  /** The waiting is over: the step that goes on, if there was any waiting. */
  unpark(now: number): number | undefined {
    const run = this.#row();
    if (!run || run.closed_at !== null || run.parked_until === null) return undefined;
    this.#sql.exec("UPDATE run SET parked_until = NULL, last_seen = ?", now);
    return run.step;
  }

  /** The executor failed and leaves the step to the next delivery. */
  release(): void {
    this.#sql.exec("UPDATE run SET executor = 'released'");
  }

  requestStop(reason: StopReason): "closed" | "waiting" | "begun" | "unknown" {
    const run = this.#row();
    if (!run) return "unknown";
    if (run.closed_at !== null) return "closed";
    this.#sql.exec("UPDATE run SET stop = coalesce(stop, ?)", reason);
    return run.generation > 0 ? "begun" : "waiting";
  }

  close(now: number, settled: boolean): void {
    this.#sql.exec(
      "UPDATE run SET closed_at = ?, executor = 'none', last_seen = ?, settled = ?",
      now,
      now,
      settled ? 1 : 0,
    );
    this.#sql.exec("DELETE FROM turn_record");
  }

  settle(): void {
    this.#sql.exec("UPDATE run SET settled = 1");
  }

  countLaunch(): void {
    this.#sql.exec("UPDATE run SET launches = launches + 1");
  }

  get closed(): boolean {
    return this.#row()?.closed_at != null;
  }

  get known(): boolean {
    return this.#row() !== undefined;
  }

  condition(now: number, stallMs: number): Condition {
    const run = this.#row();
    if (!run) return { kind: "unknown" };
    const { task_id: taskId, launches, step } = run;
    if (run.closed_at !== null) {
      return run.settled ? { kind: "kept", since: run.closed_at } : { kind: "unsettled", taskId, launches };
    }
    if (run.generation === 0) return { kind: "waiting", taskId, launches };
    if (run.parked_until !== null && isParked(run, now)) return { kind: "parked", until: run.parked_until };
    const until = run.last_seen + stallMs;
    return now < until ? { kind: "alive", until } : { kind: "stalled", taskId, step, launches };
  }

  #row(): RunRow | undefined {
    return this.#sql.exec<RunRow>("SELECT * FROM run").toArray()[0];
  }

  #require(): RunRow {
    return this.#sql.exec<RunRow>("SELECT * FROM run").one();
  }
}

/** A task that is told to stop waits for nobody. */
function isParked({ parked_until: until, stop }: RunRow, now: number): boolean {
  return until !== null && now < until && stop === null;
}
