/** One thing that happened in a task. The log gives it an id: 1, 2, 3 … without gaps. */
export interface NewEvent {
  /** SSE event name; also the `type` of the data. */
  type: string;
  /** One line of JSON. */
  data: string;
}

/**
 * What an executor must not do twice, kept until the turn is in the database: the model's whole answer, a call that
 * a person was asked about, a call that was started, a call's result, and that the turn's end is in the log.
 */
export interface TurnRecord {
  /** Turn of the task, from 1. */
  iteration: number;
  kind: "answer" | "asked" | "started" | "result" | "ended";
  /** Tool call the record is about; empty for an answer and an end. */
  callId: string;
  /** JSON, opaque to the log. */
  value: string;
}

/** What an executor adds to the log in one write. */
export interface Addition {
  /** Counts an executor's writes from 1; a write that is repeated because its answer was lost is not added again. */
  sequence: number;
  events: readonly NewEvent[];
  records?: readonly TurnRecord[];
  /** Turns up to this one are in the database; their records have served. */
  storedTurns?: number;
}

/** Why a running task is to stop. */
export type StopReason = "cancelled" | "key_revoked" | "access_lost";

/** What the log tells an executor at every write. */
export interface Control {
  /** A newer executor has taken over: stop, write nothing more. */
  stale: boolean;
  stop: StopReason | null;
}

export type Begun =
  /**
   * Go: you are this generation. `records` are those of turns that may not be in the database yet; `lastEventId` is 0 as
   * long as nothing is in the log; `restarted` says that an earlier executor did not end its step.
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
  /** Another executor shows life. */
  | { kind: "busy"; retryAfterSeconds: number }
  /** The step was recorded, or the task is over and everything that follows was published. */
  | { kind: "skip" };

/**
 * What callers of the `TaskLog` object may rely on. An executor acts under the generation that `begin` returned; a call under
 * an older one changes nothing.
 */
export interface TaskLogObject extends Rpc.DurableObjectBranded {
  /**
   * Make the log and arm its watchdog. Idempotent. Only for a task that is not over: a log that was forgotten must not be made
   * again.
   */
  open(taskId: string): Promise<void>;

  /** Ask to execute a step; the first step makes the log. Returns whether to, and as which generation. */
  begin(taskId: string, step: number): Promise<Begun>;
  /** Show life, and return what the executor is to know. */
  ping(generation: number): Promise<Control>;
  /** Add to the log in one write. Idempotent by `sequence`; a stale executor is refused with `stale`. */
  append(generation: number, addition: Addition): Promise<Control>;
  /** End the step. Returns the number of the next one, and nothing to a stale executor. */
  endStep(generation: number): Promise<number | undefined>;
  /** End the step until a person has answered, `until` at the latest (milliseconds since the epoch). */
  park(generation: number, until: number): Promise<void>;
  /** Leave the step, which failed, to the next delivery: that need not wait for the executor's silence. */
  release(generation: number): Promise<void>;
  /**
   * Append the last events and end every stream. Terminal: nothing is appended afterwards. `settled` says that everything which
   * follows from the end has been published; otherwise the watchdog publishes it.
   */
  close(generation: number, last: readonly NewEvent[], settled: boolean): Promise<void>;

  /**
   * A person has answered. Returns the step to publish, and nothing for a task that is not parked. Should the publication be
   * lost, the watchdog repeats it.
   */
  unpark(): Promise<number | undefined>;
  /** Ask the executor to stop; it sees the request at its next write or ping. Returns what the task was doing. */
  requestStop(reason: StopReason): Promise<"closed" | "waiting" | "begun" | "unknown">;

  /** Id of the last event, 0 where there is none, and whether it is the end. */
  lastEvent(): Promise<{ id: number; isEnd: boolean }>;
  /**
   * Server-Sent Events after the id in `?after=`, then live ones until the end. `&open=<task id>` makes the log first. 404 for an
   * unknown log, 204 for a log that is over and has no more events, 416 for an id that a running log has not reached.
   */
  fetch(request: Request): Promise<Response>;
}
