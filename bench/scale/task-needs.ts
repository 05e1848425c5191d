import type { MeasuredTask } from "./measured.ts";
import { OBJECTS } from "./published.ts";

/** What one task takes of everything that is counted, charged or limited. */
export interface TaskNeeds {
  /** From the request to the end. */
  seconds: number;
  /** How long its deliveries keep the queue waiting for an answer. */
  deliverySeconds: number;
  /** Requests that reach the Worker. */
  requests: number;
  cpuMs: number;
  /** Calls of objects and their alarms. */
  objectCalls: number;
  objectGbSeconds: number;
  rowsWritten: number;
  rowsRead: number;
  /** Bytes of its log, kept for a time. */
  logBytes: number;
  logLines: number;
  messages: number;
  databaseTrips: number;
  databaseCpuMs: number;
  /** Bytes of its rows, which stay. */
  databaseBytes: number;
  databaseBytesRead: number;
  bucketWrites: number;
  bucketReads: number;
}

/** What the measurement does not show, from the code named. */
export const FROM_THE_CODE = {
  /** `PING_MS` of src/agent/execution.ts. */
  pingEverySeconds: 3,
  /**
   * TASK_STALL_SECONDS is 8, and a watchdog's alarm comes so long after the last sign of life that it knew of when it was set, half a
   * ping old on average.
   */
  alarmEverySeconds: 6.5,
  /** TASK_LOG_RETENTION_DAYS. */
  logDays: 30,
  /**
   * Of each write to the log, beside its row of events: `advance` of durable-objects/task-log/run-state.ts. This and the next are
   * as a test counts them (test/durable-objects/task-log/rows-written.test.ts).
   */
  rowsPerWrite: 1,
  /** A record with its key's index, and its deletion. */
  rowsPerRecord: 3,
  /** Of a turn its answer and its end, of a tool call its start and its result. */
  recordsPerTurn: 2,
  recordsPerToolCall: 2,
  /** Making the log, opening, beginning and closing it, and the alarm that forgets it. */
  rowsPerLog: 20,
  /** `run` is read when the object wakes, and kept. */
  rowsReadPerCall: 0,
  /** The line of src/http/middleware/request-scope.ts, beside the platform's own for each invocation. */
  ownLinesPerRequest: 1,
  /** Before the first call that changes files: a pack and a manifest, and the manifest before it (src/domain/workspaces/archives). */
  bucketWritesPerCheckpoint: 2,
  bucketReadsPerCheckpoint: 1,
} as const;

/** Requests of the caller: the one that starts the task, and one that reads its events to the end. */
const CALLERS_REQUESTS = 2;

/** Its one reader keeps the log's object from hibernating, so that all its time is charged; without one only its work is. */
export function needsOf(task: MeasuredTask): TaskNeeds {
  const { turns, toolCalls, seconds, trips, workerCpuMs, database, log } = task;
  const code = FROM_THE_CODE;
  const deliveries = Object.values(task.deliveries).reduce((sum, count) => sum + count, 0);
  const requests = CALLERS_REQUESTS + deliveries;
  const alarms = seconds / code.alarmEverySeconds + 1;
  const records = turns * code.recordsPerTurn + toolCalls * code.recordsPerToolCall;
  const objectCalls = trips.objects + alarms;
  return {
    seconds,
    deliverySeconds: seconds,
    requests,
    cpuMs: workerCpuMs,
    objectCalls,
    objectGbSeconds: (seconds + workerCpuMs / 1000) * OBJECTS.memoryGb,
    rowsWritten:
      log.writes * code.rowsPerWrite +
      log.eventRows +
      seconds / code.pingEverySeconds +
      records * code.rowsPerRecord +
      alarms +
      code.rowsPerLog,
    rowsRead: objectCalls * code.rowsReadPerCall,
    logBytes: log.bytes,
    logLines: requests * (1 + code.ownLinesPerRequest) + objectCalls,
    messages: deliveries,
    databaseTrips: trips.db,
    databaseCpuMs: database.cpuMs,
    databaseBytes: Object.values(database.bytesStored).reduce((sum, bytes) => sum + bytes, 0),
    databaseBytesRead: database.bytesRead,
    bucketWrites: toolCalls > 0 ? code.bucketWritesPerCheckpoint : 0,
    bucketReads: toolCalls > 0 ? code.bucketReadsPerCheckpoint : 0,
  };
}
