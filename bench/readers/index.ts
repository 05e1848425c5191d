import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ReadersReport, type ReadersTask } from "./protocol.ts";

/** Starts many concurrent readers of a task, in two processes; `connected` resolves when all are connected. */
export function startReaders(task: ReadersTask): {
  connected: Promise<unknown>;
  report: Promise<ReadersReport>;
} {
  const shares = [Math.ceil(task.readers / 2), Math.floor(task.readers / 2)];
  const processes = shares.map((readers) => {
    const child = fork(fileURLToPath(import.meta.resolve("./process.ts")));
    child.send({ ...task, readers });
    const connected = once(child, "message");
    const report = connected.then(async () => ReadersReport.parse((await once(child, "message"))[0]));
    return { connected, report };
  });
  return {
    connected: Promise.all(processes.map(({ connected }) => connected)),
    report: Promise.all(processes.map(({ report }) => report)).then((reports) => ({
      lags: reports.flatMap(({ lags }) => lags),
      lost: reports.reduce((sum, { lost }) => sum + lost, 0),
      events: Math.max(...reports.map(({ events }) => events)),
    })),
  };
}
