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

/** The time until which a task waits for a person's answer, without an executor. */
export const PARKED_COLUMN = "ALTER TABLE run ADD COLUMN parked_until INTEGER;";

type RunRow = {
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
};

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
 *
 * The row is read once: nothing else writes it, and an object whose write fails is made anew by the platform.
 */
export class RunState {
  readonly #sql: SqlStorage;
  #run: RunRow | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#run = this.#read();
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

  /** What an executor is told of itself: whether a newer one has the task, and whether it is to stop. */
  control(generation: number): Control {
    const run = this.#run;
    if (!run || run.generation !== generation || run.executor !== "running")
      return { stale: true, stop: null };
    return { stale: false, stop: run.stop };
  }

  /** A sign of life, and nothing else. */
  ping(generation: number, now: number): Control {
    const control = this.control(generation);
    if (!control.stale) this.#write({ last_seen: now });
    return control;
  }

  /**
   * Note a write of the executor, which is a sign of life, with the records that come with it. Returns whether it is the next one;
   * one that was counted before is a repetition.
   */
  advance({ sequence, records = [], storedTurns }: Omit<Addition, "events">, now: number): boolean {
    if (sequence <= this.#require().sequence) {
      this.#write({ last_seen: now });
      return false;
    }
    // The turns up to there are in the database; their records have served.
    if (storedTurns !== undefined)
      this.#sql.exec("DELETE FROM turn_record WHERE iteration <= ?", storedTurns);
    for (const { iteration, kind, callId, value } of records) {
      this.#sql.exec(
        "INSERT INTO turn_record (iteration, kind, call_id, value) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
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

  /** The step is over and another one takes the task on; its executor need not wait for silence. */
  endStep(now: number): number {
    const step = this.#require().step + 1;
    this.#write({ step, executor: "none", attempts: 0, last_seen: now });
    return step;
  }

  /** The step is over; another one takes the task on once a person has answered, or when the time is up. */
  park(now: number, until: number): void {
    this.endStep(now);
    this.#write({ parked_until: until });
  }

  /** The waiting is over: the step that goes on, if there was any waiting. */
  unpark(now: number): number | undefined {
    const run = this.#run;
    if (!run || run.closed_at !== null || run.parked_until === null) return undefined;
    this.#write({ parked_until: null, last_seen: now });
    return run.step;
  }

  /** The executor failed and leaves the step to the next delivery. */
  release(now: number): void {
    this.#write({ executor: "released", last_seen: now });
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
    if (run.parked_until !== null && isParked(run, now)) return { kind: "parked", until: run.parked_until };
    const until = run.last_seen + stallMs;
    return now < until ? { kind: "alive", until } : { kind: "stalled", taskId, step, launches };
  }

  #read(): RunRow | undefined {
    return this.#sql.exec<RunRow>("SELECT * FROM run").toArray()[0];
  }

  /** The row and what is known of it, in one statement. */
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

/** A task that is told to stop waits for nobody. */
function isParked({ parked_until: until, stop }: RunRow, now: number): boolean {
  return until !== null && now < until && stop === null;
}
