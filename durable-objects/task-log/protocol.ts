/** An event of a task. The log gives it an id: 1, 2, 3 … without gaps. */
export interface NewEvent {
  /** SSE event name; also the `type` of the data. */
  type: string;
  /** One line of JSON. */
  data: string;
}

/**
 * Something that an executor must not do twice, kept until the turn is in the database: the model's whole answer, a
 * call whose approval was requested, a call that was started, the input that a call needs, where a call goes on that its server
 * answers later, a call's result, and that the turn's end is in the log. Only `deferred` is replaced when it is written again.
 */
export interface TurnRecord {
  /** Turn of the task, from 1. */
  iteration: number;
  kind: "answer" | "asked" | "started" | "input" | "deferred" | "result" | "ended";
  /** Tool call the record is about; empty for an answer and an end. */
  callId: string;
  /** JSON, opaque to the log. */
  value: string;
}

/** An executor's addition to the log in one write. */
export interface Addition {
  /** Counts an executor's writes from 1; a write that is retried after a lost response is not added again. */
  sequence: number;
  events: readonly NewEvent[];
  records?: readonly TurnRecord[];
  /** Turns up to this one are in the database; their records are deleted. */
  storedTurns?: number;
}

/** Why a running task is to stop. */
export type StopReason = "cancelled" | "key_revoked" | "access_lost" | "agent_lost";

/** What the log returns to an executor at every write. */
export interface Control {
  /** A newer executor has taken over: stop, write nothing more. */
  stale: boolean;
  stop: StopReason | null;
}

export type Begun =
  /**
   * Run the step under this generation. `records` are those of turns that may not be in the database yet; `lastEventId`
   * is 0 while the log is empty; `restarted` says that an earlier executor did not end its step.
   */
  | {
      kind: "run";
      generation: number;
      stop: StopReason | null;
      records: TurnRecord[];
      lastEventId: number;
      restarted: boolean;
    }
  /** Too many attempts without progress: end the task as failed, under this generation. */
  | { kind: "exhausted"; generation: number; attempts: number }
  /** Another executor is alive. */
  | { kind: "busy"; retryAfterSeconds: number }
  /** The step was recorded, or the task is over and all its consequences were published. */
  | { kind: "skip" };

/** A step that the log has given to an executor. */
export interface BegunStep {
  taskId: string;
  begun: Extract<Begun, { kind: "run" | "exhausted" }>;
}

/**
 * The contract of the `TaskLog` object. An executor acts under the generation that `begin` returned; a call under an
 * older one changes nothing.
 */
export interface TaskLogObject extends Rpc.DurableObjectBranded {
  /**
   * Creates the log and arms its watchdog. Idempotent. Only for a task that is not over: a deleted log must not be
   * created again.
   */
  open(taskId: string): Promise<void>;

  /**
   * Creates the log, takes the first step and has it executed at once. Returns when that is stored: what becomes of the
   * executor is the log's to watch. Does nothing to a task that has begun. `shareOf` is the person whose share of the queue
   * the step counts against, if it has to go there.
   */
  launch(taskId: string, shareOf: string | undefined): Promise<void>;
  /**
   * Asks to execute a step; the first step creates the log. Returns whether to execute it, and under which generation.
   */
  begin(taskId: string, step: number): Promise<Begun>;
  /** Renews the executor's lease, and returns what the executor must know. */
  ping(generation: number): Promise<Control>;
  /** Adds to the log in one write. Idempotent by `sequence`; a stale executor is refused with `stale`. */
  append(generation: number, addition: Addition): Promise<Control>;
  /** Ends the step. Returns the number of the next one, and undefined to a stale executor. */
  endStep(generation: number): Promise<number | undefined>;
  /**
   * Ends the step until an approval is decided, `until` at the latest (milliseconds since the epoch). The log then has the next step
   * executed, as `goOn` does.
   */
  park(generation: number, until: number): Promise<void>;
  /** Leaves the failed step to the next delivery, which need not wait for the executor's silence. */
  release(generation: number): Promise<void>;
  /**
   * Appends the last events and ends every stream. Terminal: nothing is appended afterwards. `settled` says that all
   * consequences of the end were published; otherwise the watchdog publishes them.
   */
  close(generation: number, last: readonly NewEvent[], settled: boolean): Promise<void>;

  /** Notes that all consequences of the end were published. Does nothing to a log that is not closed. */
  settle(): Promise<void>;
  /**
   * An approval was decided: has the next step of a parked task executed, as `launch` does. Does nothing to any other task.
   */
  goOn(shareOf: string | undefined): Promise<void>;
  /** Asks the executor to stop; it sees the request at its next write or ping. Returns the state of the task. */
  requestStop(reason: StopReason): Promise<"closed" | "waiting" | "begun" | "unknown">;

  /** Returns the id of the last event, 0 if there is none, and whether it is the end. */
  lastEvent(): Promise<{ id: number; isEnd: boolean }>;
  /**
   * Streams Server-Sent Events after the id in `?after=`: stored ones, then live ones until the end. `&open=<task id>`
   * creates the log first. 404 for an unknown log, 204 for a log that is over and has no more events, 416 for an id
   * that a running log has not reached.
   */
  fetch(request: Request): Promise<Response>;
}
