import type {
  Addition,
  Begun,
  Control,
  NewEvent,
  StopReason,
  TaskLogObject,
} from "#durable-objects/task-log/protocol.ts";
import type { Trips } from "#src/platform/trips.ts";

export type * from "#durable-objects/task-log/protocol.ts";

/** Access to a task's log; callers need not know that it is a Durable Object. */
export interface TaskLogs {
  /** Creates the log of a task that is not over. Idempotent. */
  open(taskId: string): Promise<void>;
  /**
   * Has the first step of a task executed at once, and returns when that is stored. `shareOf` is the person against whose
   * share of the queue the step counts if it must go there. Does nothing to a task that has begun.
   */
  launch(taskId: string, shareOf: string | undefined): Promise<void>;
  /** Has the next step of a task executed that waited for an approval. Does nothing to any other. Idempotent. */
  goOn(taskId: string, shareOf: string): Promise<void>;
  /** Asks to execute a step; the first step creates the log if no reader has. */
  begin(taskId: string, step: number): Promise<Begun>;
  ping(taskId: string, generation: number): Promise<Control>;
  append(taskId: string, generation: number, addition: Addition): Promise<Control>;
  endStep(taskId: string, generation: number): Promise<number | undefined>;
  /**
   * Ends the step until an approval is decided, `until` at the latest (milliseconds since the epoch). The log then has the next step
   * executed, as `goOn` does.
   */
  park(taskId: string, generation: number, until: number): Promise<void>;
  release(taskId: string, generation: number): Promise<void>;
  close(taskId: string, generation: number, last: readonly NewEvent[], settled: boolean): Promise<void>;
  /** Notes that all consequences of a closed task's end were published, where `close` could not say so yet. Idempotent. */
  settle(taskId: string): Promise<void>;
  requestStop(taskId: string, reason: StopReason): Promise<"closed" | "waiting" | "begun" | "unknown">;
  /** Returns the id of the last event, 0 if there is none, and whether it is the end. */
  lastEvent(taskId: string): Promise<{ id: number; isEnd: boolean }>;
  /**
   * Streams Server-Sent Events after an id: stored ones, then live ones until the end. `open` creates a missing log,
   * for a task that is not over; without it a missing log is 404. Returns 204 when the log is over and has no more
   * events, 416 when it is not over and has not reached the id, and 429 when the `reader` has too many streams of it. A
   * stream without a reader is one of the service itself.
   */
  stream(taskId: string, after: number, options: { open: boolean; reader?: string }): Promise<Response>;
}

export function taskLogs(namespace: DurableObjectNamespace<TaskLogObject>, trips: Trips): TaskLogs {
  const log = (taskId: string) => {
    trips.objects += 1;
    return namespace.getByName(taskId);
  };
  return {
    open: (taskId) => log(taskId).open(taskId),
    launch: (taskId, shareOf) => log(taskId).launch(taskId, shareOf),
    goOn: (taskId, shareOf) => log(taskId).goOn(shareOf),
    begin: (taskId, step) => log(taskId).begin(taskId, step),
    ping: (taskId, generation) => log(taskId).ping(generation),
    append: (taskId, generation, addition) => log(taskId).append(generation, addition),
    endStep: (taskId, generation) => log(taskId).endStep(generation),
    park: (taskId, generation, until) => log(taskId).park(generation, until),
    release: (taskId, generation) => log(taskId).release(generation),
    close: (taskId, generation, last, settled) => log(taskId).close(generation, last, settled),
    settle: (taskId) => log(taskId).settle(),
    requestStop: (taskId, reason) => log(taskId).requestStop(reason),
    lastEvent: (taskId) => log(taskId).lastEvent(),
    stream(taskId, after, { open, reader }) {
      const query = new URLSearchParams({
        after: String(after),
        ...(open && { open: taskId }),
        ...(reader !== undefined && { reader }),
      });
      return log(taskId).fetch(`https://task-log/?${query.toString()}`);
    },
  };
}
