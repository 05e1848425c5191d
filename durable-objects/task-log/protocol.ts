/** One thing that happened in a task. The log gives it an id: 1, 2, 3 … without gaps. */
export interface NewEvent {
  /** SSE event name; also the `type` of the data. */
  type: string;
  /** One line of JSON. */
  data: string;
}

/**
 * What an executor must not do twice, kept until the turn is in the database: the model's whole answer, a call that
 * somebody was asked about, a call that was started, a call's result, and that the turn's end is in the log.
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
