import { stepDue } from "#src/domain/agent-work/tasks/functions.ts";
import type { MeasuredTask } from "./measured.ts";
import { OBJECTS } from "./published.ts";

/** What one task uses of every resource that is counted, charged or limited. */
export interface TaskNeeds {
  /** From the request to the end. */
  seconds: number;
  /** How long its deliveries keep a connection of the queue open. */
  deliverySeconds: number;
  /** Requests to the Worker. */
  requests: number;
  cpuMs: number;
  /** Calls and alarms of Durable Objects. */
  objectCalls: number;
  objectGbSeconds: number;
  rowsWritten: number;
  rowsRead: number;
  /** Bytes of its log, which is deleted after a time. */
  logBytes: number;
  logLines: number;
  messages: number;
  databaseTrips: number;
  databaseCpuMs: number;
  /** Bytes of its rows, which are kept. */
  databaseBytes: number;
  databaseBytesRead: number;
  bucketWrites: number;
  bucketReads: number;
}

/** Values that the measurement does not show, from the named code. */
export const FROM_THE_CODE = {
  /** `PING_MS` of src/agent/steps/run-step.ts. */
  pingEverySeconds: 3,
  /**
   * TASK_STALL_SECONDS is 8. The watchdog's alarm is set 8 seconds after the last known sign of life, which is half a
   * ping old on average.
   */
  alarmEverySeconds: 6.5,
  /** TASK_LOG_RETENTION_DAYS. */
  logDays: 30,
  /**
   * Per write to the log, besides the row of the events: `advance` in durable-objects/task-log/run-state.ts. A test
   * counts this value and the next (test/durable-objects/task-log/rows-written.test.ts).
   */
  rowsPerWrite: 1,
  /** A record with the index of its key, and its deletion. */
  rowsPerRecord: 3,
  /** For a turn, its answer and its end; for a tool call, its start and its result. */
  recordsPerTurn: 2,
  recordsPerToolCall: 2,
  /** Creating, opening, beginning and closing the log, and the alarm that deletes it. */
  rowsPerLog: 20,
  /** `run` is read when the object wakes, and cached. */
  rowsReadPerCall: 0,
  /** The log line in src/http/middleware/request-scope.ts, besides the platform's own line per invocation. */
  ownLinesPerRequest: 1,
  /**
   * Before the first call that changes files: writes a pack and a manifest, and reads the previous manifest
   * (src/domain/workspaces/archives).
   */
  bucketWritesPerCheckpoint: 2,
  bucketReadsPerCheckpoint: 1,
} as const;

/** Requests of the caller: one starts the task, and one reads its events to the end. */
const CALLERS_REQUESTS = 2;
/** The step that begins at once is a call of the Worker by the task's object, and no request. */
const STEPS_AT_ONCE = 1;

/**
 * Assumes one reader, which keeps the log's object from hibernating, so that its whole duration is charged. Without a
 * reader, only its work is charged.
 */
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
    // A step that begins at once needs no delivery.
    deliverySeconds: seconds * (task.deliveries[stepDue.name] ?? 0),
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
    logLines: (requests + STEPS_AT_ONCE) * (1 + code.ownLinesPerRequest) + objectCalls,
    messages: deliveries,
    databaseTrips: trips.db,
    databaseCpuMs: database.cpuMs,
    databaseBytes: Object.values(database.bytesStored).reduce((sum, bytes) => sum + bytes, 0),
    databaseBytesRead: database.bytesRead,
    bucketWrites: toolCalls > 0 ? code.bucketWritesPerCheckpoint : 0,
    bucketReads: toolCalls > 0 ? code.bucketReadsPerCheckpoint : 0,
  };
}
