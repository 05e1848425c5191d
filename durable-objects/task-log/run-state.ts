import type { Addition, Begun, Control, StopReason, TurnRecord } from "./protocol.ts";

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

/** Until when a task waits for an approval or a server, without an executor. */
export const PARKED_COLUMN = "ALTER TABLE run ADD COLUMN parked_until INTEGER;";

type RunRow = {
  task_id: string;
  generation: number;
  step: number;
  launches: number;
  attempts: number;
  /**
   * `released`: the last executor reported its failure; its turn is unfinished, but the next executor need not wait for
   * its silence.
   */
  executor: "none" | "running" | "released";
  sequence: number;
  last_seen: number;
  stop: StopReason | null;
  closed_at: number | null;
  settled: number;
  parked_until: number | null;
};

/** The state that the watchdog finds. Times in milliseconds since the epoch. */
export type Condition =
  | { kind: "unknown" }
  | { kind: "waiting"; taskId: string; launches: number }
  | { kind: "alive"; until: number }
  | { kind: "parked"; until: number }
  /** It was parked, and need not wait any longer. */
  | { kind: "due" }
  | { kind: "stalled"; taskId: string; step: number; launches: number }
  | { kind: "unsettled"; taskId: string; launches: number }
  | { kind: "kept"; since: number };

/**
 * Who executes a task, and its progress. Every executor has a generation as its fence; only the newest may write, so an
 * executor that was wrongly presumed dead stops at its next write. Times are passed in.
 *
 * The row is read once: nothing else writes it, and the platform recreates an object whose write fails.
 */
export class RunState {
  readonly #sql: SqlStorage;
  #run: RunRow | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#run = this.#read();
  }

  /** Returns whether this call created the log; an open log stays unchanged. */
  open(taskId: string, now: number): boolean {
    if (this.known) return false;
    // The chat's id is no longer read; older tables require a value.
    this.#sql.exec(
      "INSERT INTO run (only_row, task_id, chat_id, last_seen) VALUES (1, ?, '', ?)",
      taskId,
      now,
    );
    this.#run = this.#read();
    return true;
  }

  begin(
    step: number,
    lastEventId: number,
    limits: { now: number; stallMs: number; maxAttempts: number },
  ): Begun {
    const run = this.#run;
    if (!run || run.settled || step < run.step) return { kind: "skip" };
    if (isParked(run, limits.now)) return { kind: "skip" };
    const aliveForMs = run.last_seen + limits.stallMs - limits.now;
    if (run.executor === "running" && aliveForMs > 0) {
      return { kind: "busy", retryAfterSeconds: Math.ceil(aliveForMs / 1000) };
    }
    const generation = run.generation + 1;
    const attempts = run.attempts + 1;
    const restarted = run.executor !== "none";
    this.#write({
      generation,
      attempts,
      executor: "running",
      sequence: 0,
      last_seen: limits.now,
      parked_until: null,
    });
    if (attempts > limits.maxAttempts) return { kind: "exhausted", generation, attempts: attempts - 1 };
    const records = this.#sql
      .exec<TurnRecord & Record<string, SqlStorageValue>>(
        `SELECT iteration, kind, call_id AS "callId", value FROM turn_record ORDER BY iteration`,
      )
      .toArray();
    return { kind: "run", generation, stop: run.stop, records, lastEventId, restarted };
  }

  /** Returns what an executor must know: whether a newer one has the task, and whether to stop. */
  control(generation: number): Control {
    const run = this.#run;
    if (!run || run.generation !== generation || run.executor !== "running")
      return { stale: true, stop: null };
    return { stale: false, stop: run.stop };
  }

  /** Renews the executor's lease without writing events. */
  ping(generation: number, now: number): Control {
    const control = this.control(generation);
    if (!control.stale) this.#write({ last_seen: now });
    return control;
  }

  /**
   * Notes a write of the executor, which renews its lease, with its records. Returns whether it is the next write; an
   * earlier sequence number is a repetition.
   */
  advance({ sequence, records = [], storedTurns }: Omit<Addition, "events">, now: number): boolean {
    if (sequence <= this.#require().sequence) {
      this.#write({ last_seen: now });
      return false;
    }
    // The turns up to there are in the database; their records are no longer needed.
    if (storedTurns !== undefined)
      this.#sql.exec("DELETE FROM turn_record WHERE iteration <= ?", storedTurns);
    for (const { iteration, kind, callId, value } of records) {
      this.#sql.exec(
        `INSERT INTO turn_record (iteration, kind, call_id, value) VALUES (?, ?, ?, ?)
          ON CONFLICT (iteration, kind, call_id) DO UPDATE SET value = excluded.value WHERE turn_record.kind = 'deferred'`,
        iteration,
        kind,
        callId,
        value,
      );
    }
    // A new answer or result is progress: the count of attempts starts over.
    const isProgress = records.some(({ kind }) => kind !== "started" && kind !== "asked");
    this.#write({ sequence, last_seen: now, ...(isProgress && { attempts: 0 }) });
    return true;
  }

  /** The step is over and another one continues the task; its executor need not wait for silence. */
  endStep(now: number): number {
    const step = this.#require().step + 1;
    this.#write({ step, executor: "none", attempts: 0, last_seen: now });
    return step;
  }

  /** The step is over; another one continues the task once an approval is decided, or when the time is up. */
  park(now: number, until: number): void {
    this.endStep(now);
    this.#write({ parked_until: until });
  }

  /** Ends the wait. Returns the step that continues, if the task was parked. */
  unpark(now: number): { taskId: string; step: number } | undefined {
    const run = this.#run;
    if (!run || run.closed_at !== null || run.parked_until === null) return undefined;
    this.#write({ parked_until: null, last_seen: now });
    return { taskId: run.task_id, step: run.step };
  }

  /** The executor failed and leaves the step to the next delivery. */
  release(now: number): void {
    this.#write({ executor: "released", last_seen: now });
  }

  /** No executor took the step: the next one begins it as if it had not been begun. */
  handBack(now: number): void {
    this.#write({ executor: "none", attempts: this.#require().attempts - 1, last_seen: now });
  }

  requestStop(reason: StopReason): "closed" | "waiting" | "begun" | "unknown" {
    const run = this.#run;
    if (!run) return "unknown";
    if (run.closed_at !== null) return "closed";
    if (run.stop === null) this.#write({ stop: reason });
    return run.generation > 0 ? "begun" : "waiting";
  }

  close(now: number, settled: boolean): void {
    this.#write({ closed_at: now, executor: "none", last_seen: now, settled: settled ? 1 : 0 });
    this.#sql.exec("DELETE FROM turn_record");
  }

  settle(): void {
    this.#write({ settled: 1 });
  }

  countLaunch(): void {
    this.#write({ launches: this.#require().launches + 1 });
  }

  get closed(): boolean {
    return this.#run?.closed_at != null;
  }

  get known(): boolean {
    return this.#run !== undefined;
  }

  condition(now: number, stallMs: number): Condition {
    const run = this.#run;
    if (!run) return { kind: "unknown" };
    const { task_id: taskId, launches, step } = run;
    if (run.closed_at !== null) {
      return run.settled ? { kind: "kept", since: run.closed_at } : { kind: "unsettled", taskId, launches };
    }
    if (run.generation === 0) return { kind: "waiting", taskId, launches };
    if (run.parked_until !== null)
      return isParked(run, now) ? { kind: "parked", until: run.parked_until } : { kind: "due" };
    const until = run.last_seen + stallMs;
    return now < until ? { kind: "alive", until } : { kind: "stalled", taskId, step, launches };
  }

  #read(): RunRow | undefined {
    return this.#sql.exec<RunRow>("SELECT * FROM run").toArray()[0];
  }

  /** Writes the row and its copy in memory, in one statement. */
  #write(change: Partial<RunRow>): void {
    const run = this.#require();
    const columns = Object.keys(change).map((column) => `${column} = ?`);
    this.#sql.exec(`UPDATE run SET ${columns.join(", ")}`, ...Object.values(change));
    this.#run = { ...run, ...change };
  }

  #require(): RunRow {
    if (!this.#run) throw new Error("This log was never opened");
    return this.#run;
  }
}

/** A task that was told to stop does not wait. */
function isParked({ parked_until: until, stop }: RunRow, now: number): boolean {
  return until !== null && now < until && stop === null;
}
