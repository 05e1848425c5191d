import { DatabaseSync } from "node:sqlite";
import type { ExecutorEntry } from "#durable-objects/lib/executor.ts";
import { executeHere } from "#durable-objects/task-log/execute-here.ts";
import { PARKED_COLUMN, RUN_TABLES, RunState } from "#durable-objects/task-log/run-state.ts";
import { Watchdog } from "#durable-objects/task-log/watchdog.ts";
import { createLog, type Log } from "#src/platform/log/log.ts";
import type { Begun, Control, NewEvent, TaskLogs } from "#src/platform/objects/task-logs.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { partOf } from "./part-of.ts";

/** More attempts than the service has: here executors die so often that five would not do. */
const LIMITS = { stallMs: 8_000, maxAttempts: 20, maxStreams: 0, retentionMs: 30 * 86_400_000 };

type Point = <T>(act: () => Promise<T>) => Promise<T>;

/** The state of each task's log, as the object keeps it, with a clock that the test turns; events are only counted at the end. */
export class MemoryTaskLogs {
  now = 0;
  readonly #logs = new Map<string, OneLog>();
  readonly #queue: Queue;
  readonly #executor: Pick<ExecutorEntry, "executeStep">;

  /** Without an executor every step goes to the queue. */
  constructor(
    queue: Queue,
    executor: Pick<ExecutorEntry, "executeStep"> = { executeStep: async () => "full" },
  ) {
    this.#queue = queue;
    this.#executor = executor;
  }

  /** The events with which a task's log was closed; nothing for one that is open. */
  lastEvents(taskId: string): readonly NewEvent[] | undefined {
    return this.#logs.get(taskId)?.last;
  }

  /** Whether a watchdog has something to do. */
  async look(): Promise<void> {
    for (const log of this.#logs.values()) await log.look(this.now);
  }

  /** What the service has of them; each call goes through `point`. */
  through(
    point: Point,
  ): Pick<
    TaskLogs,
    "open" | "launch" | "goOn" | "begin" | "ping" | "close" | "settle" | "requestStop" | "park"
  > {
    const log = (taskId: string) => {
      const found = this.#logs.get(taskId) ?? new OneLog(this.#queue, this.#executor, () => this.now);
      this.#logs.set(taskId, found);
      return found;
    };
    const call = <T>(taskId: string, act: (log: OneLog, now: number) => T) =>
      point(async () => act(log(taskId), this.now));
    return {
      open: (taskId) => call(taskId, (each, now) => each.open(taskId, now)),
      launch: (taskId, shareOf) =>
        call(taskId, (each, now) => each.execute({ taskId, step: 1 }, { shareOf, now })),
      goOn: (taskId, shareOf) => call(taskId, (each, now) => each.goOn(shareOf, now)),
      begin: (taskId, step) => call(taskId, (each, now) => each.begin(taskId, step, now)),
      ping: (taskId, generation) => call(taskId, (each, now): Control => each.run.ping(generation, now)),
      close: (taskId, generation, last, settled) =>
        call(taskId, (each, now) => each.close(generation, last, { settled, now })),
      settle: (taskId) => call(taskId, (each, now) => each.settle(now)),
      requestStop: (taskId, reason) => call(taskId, (each) => each.run.requestStop(reason)),
      park: (taskId, generation, until) => call(taskId, (each, now) => each.park(generation, until, now)),
    };
  }
}

/** As `TaskLog`, without its events. */
class OneLog {
  readonly run: RunState;
  last: readonly NewEvent[] | undefined;
  #alarm: number | undefined;
  readonly #watchdog: Watchdog;

  readonly #services: () => { queue: Queue; log: Log };
  readonly #exports: { Executor: Pick<ExecutorEntry, "executeStep"> };

  readonly #now: () => number;

  constructor(queue: Queue, executor: Pick<ExecutorEntry, "executeStep">, now: () => number) {
    this.#now = now;
    this.#services = () => ({ queue, log: { ...createLog(), warn: () => {} } });
    this.#exports = { Executor: executor };
    const sql = storageOf(new DatabaseSync(":memory:"));
    sql.exec(RUN_TABLES);
    sql.exec(PARKED_COLUMN);
    this.run = new RunState(sql);
    const storage = partOf<DurableObjectStorage>({
      setAlarm: async (at: number) => void (this.#alarm = at),
    });
    const settings = { ...LIMITS, services: this.#services };
    this.#watchdog = new Watchdog(this.run, storage, settings, async () => this.goOn(undefined, now()));
  }

  open(taskId: string, now: number): void {
    if (this.run.open(taskId, now)) this.#alarm = now + LIMITS.stallMs;
  }

  begin(taskId: string, step: number, now: number): Begun {
    if (step === 1) this.open(taskId, now);
    return this.run.begin(step, 0, { ...LIMITS, now });
  }

  park(generation: number, until: number, now: number): void {
    const { stale, stop } = this.run.control(generation);
    if (stale) return;
    this.run.park(now, until);
    this.#alarm = stop === null ? until : now + LIMITS.stallMs;
  }

  execute(
    { taskId, step }: { taskId: string; step: number },
    { shareOf, now }: { shareOf: string | undefined; now: number },
  ): void {
    const begun = this.begin(taskId, step, now);
    if (begun.kind === "skip" || begun.kind === "busy") return;
    const log = { exports: this.#exports, run: this.run, services: this.#services, now: this.#now };
    void executeHere(log, { taskId, step, begun, shareOf });
  }

  goOn(shareOf: string | undefined, now: number): void {
    const next = this.run.unpark(now);
    if (!next) return;
    this.#alarm = now + LIMITS.stallMs;
    this.execute(next, { shareOf, now });
  }

  close(
    generation: number,
    last: readonly NewEvent[],
    { settled, now }: { settled: boolean; now: number },
  ): void {
    if (this.run.control(generation).stale) return;
    if (!this.run.closed) this.last = last;
    this.run.close(now, settled);
    this.#alarm = now + (settled ? LIMITS.retentionMs : LIMITS.stallMs);
  }

  settle(now: number): void {
    if (!this.run.closed) return;
    this.run.settle();
    this.#alarm = now + LIMITS.retentionMs;
  }

  async look(now: number): Promise<void> {
    if (this.#alarm === undefined || this.#alarm > now) return;
    this.#alarm = undefined;
    await this.#watchdog.look(now);
  }
}

/** Of an object's storage, what is used here. */
function storageOf(database: DatabaseSync): SqlStorage {
  return partOf<SqlStorage>({
    exec: <T extends Record<string, SqlStorageValue>>(
      query: string,
      ...values: (string | number | null)[]
    ) => {
      if (values.length === 0 && !/^SELECT/iu.test(query)) database.exec(query);
      const rows = /^SELECT/iu.test(query) || values.length > 0 ? database.prepare(query).all(...values) : [];
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as with an object's storage, the caller names what is in a row
      const typed = rows as T[];
      const one = () => {
        const [only] = typed;
        if (!only) throw new Error("The query has no row");
        return only;
      };
      return partOf<SqlStorageCursor<T>>({ toArray: () => typed, one });
    },
  });
}
