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

/** How the rest of the code reaches a task's log, without knowing that it is a Durable Object. */
export interface TaskLogs {
  /** Make the log of a task that is not over. Safe to repeat. */
  open(taskId: string): Promise<void>;
  /** Ask to execute a step; the first one makes the log where no reader has. */
  begin(taskId: string, step: number): Promise<Begun>;
  ping(taskId: string, generation: number): Promise<Control>;
  append(taskId: string, generation: number, addition: Addition): Promise<Control>;
  endStep(taskId: string, generation: number): Promise<number | undefined>;
  /** End the step until a person has answered, `until` at the latest (milliseconds since the epoch). */
  park(taskId: string, generation: number, until: number): Promise<void>;
  /** The step to publish of a task that waited; nothing for one that did not. Safe to repeat. */
  unpark(taskId: string): Promise<number | undefined>;
  release(taskId: string, generation: number): Promise<void>;
  close(taskId: string, generation: number, last: readonly NewEvent[], settled: boolean): Promise<void>;
  requestStop(taskId: string, reason: StopReason): Promise<"closed" | "waiting" | "begun" | "unknown">;
  /** Id of the last event, 0 where there is none, and whether it is the end. */
  lastEvent(taskId: string): Promise<{ id: number; isEnd: boolean }>;
  /**
   * Server-Sent Events after an id, then live ones until the end. A log that is not there is made with `open`, for a task that is
   * not over; else that is 404. 204 where the log is over and has no more, 416 where it is not and has not reached the id.
   */
  stream(taskId: string, after: number, options: { open: boolean }): Promise<Response>;
}

export function taskLogs(namespace: DurableObjectNamespace<TaskLogObject>, trips: Trips): TaskLogs {
  const log = (taskId: string) => {
    trips.objects += 1;
    return namespace.getByName(taskId);
  };
  return {
    open: (taskId) => log(taskId).open(taskId),
    begin: (taskId, step) => log(taskId).begin(taskId, step),
    ping: (taskId, generation) => log(taskId).ping(generation),
    append: (taskId, generation, addition) => log(taskId).append(generation, addition),
    endStep: (taskId, generation) => log(taskId).endStep(generation),
    park: (taskId, generation, until) => log(taskId).park(generation, until),
    unpark: (taskId) => log(taskId).unpark(),
    release: (taskId, generation) => log(taskId).release(generation),
    close: (taskId, generation, last, settled) => log(taskId).close(generation, last, settled),
    requestStop: (taskId, reason) => log(taskId).requestStop(reason),
    lastEvent: (taskId) => log(taskId).lastEvent(),
    stream: (taskId, after, { open }) =>
      log(taskId).fetch(`https://task-log/?after=${after}${open ? `&open=${taskId}` : ""}`),
  };
}
