import type { MeasuredTask } from "./measured.ts";
import { STREAMED_SECONDS } from "./profiles.ts";
import { OBJECTS } from "./published.ts";
import { FROM_THE_CODE, type TaskNeeds } from "./task-needs.ts";

/** A possible change of the service, and what a task would need with it. */
export interface Change {
  what: string;
  apply: (needs: TaskNeeds, task: MeasuredTask) => TaskNeeds;
}

/** Writes per second while a model's text streams, if text were gathered four times as long as now. */
const CALM_WRITES_PER_SECOND = 5;

const oneRowLess: Change = {
  what: "One row less for each write of the log",
  apply: (needs, { log }) => ({ ...needs, rowsWritten: needs.rowsWritten - log.writes }),
};

const calmText: Change = {
  what: "Gather text for 200 ms, not 50",
  apply: (needs, { log }) => {
    const fewer = Math.max(log.eventRows - CALM_WRITES_PER_SECOND * STREAMED_SECONDS, 0);
    const left = (needs.objectCalls - fewer) / needs.objectCalls;
    return {
      ...needs,
      objectCalls: needs.objectCalls - fewer,
      // Includes the row of the events.
      rowsWritten: needs.rowsWritten - fewer * (FROM_THE_CODE.rowsPerWrite + 1),
      rowsRead: needs.rowsRead * left,
      cpuMs: needs.cpuMs * left,
      logLines: needs.logLines - fewer,
    };
  },
};

const stepInObject: Change = {
  what: "Run the step inside the task's object",
  apply: (needs, { log }) => {
    const local = log.writes + needs.seconds / FROM_THE_CODE.pingEverySeconds;
    return {
      ...needs,
      objectCalls: needs.objectCalls - local,
      logLines: needs.logLines - local,
    };
  },
};

const quietLogs: Change = {
  what: "No line of the platform's for each invocation",
  apply: (needs) => ({ ...needs, logLines: needs.requests * FROM_THE_CODE.ownLinesPerRequest }),
};

const together: Change = {
  what: "These four together",
  apply: (needs, task) => {
    const calm = calmText.apply(needs, task);
    const fewer = needs.objectCalls - calm.objectCalls;
    const { writes, eventRows } = task.log;
    const calmed = { ...task, log: { ...task.log, writes: writes - fewer, eventRows: eventRows - fewer } };
    return [oneRowLess, stepInObject, quietLogs].reduce((sum, change) => change.apply(sum, calmed), calm);
  },
};

const nobodyReads: Change = {
  what: "As it is, without readers",
  apply: (needs) => ({
    ...needs,
    requests: needs.requests - 1,
    objectGbSeconds: needs.objectGbSeconds - needs.seconds * OBJECTS.memoryGb,
  }),
};

export const CHANGES: readonly Change[] = [
  oneRowLess,
  calmText,
  stepInObject,
  quietLogs,
  together,
  nobodyReads,
];
