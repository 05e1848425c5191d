import type { Figure, Measurement } from "../measurement.ts";
import { memoryOf } from "../processes.ts";
import { startService } from "../service.ts";
import { newTaskClient, runTasks } from "../task-client.ts";

const TASKS = 200;

export const start: Measurement = {
  name: "start",
  title: "Start, memory, stop",
  how:
    "`local/start.sh` with everything installed, from the start of the process to the ready line: on a new folder (builds the " +
    `Worker, makes the database) and again. Resident memory before and after ${TASKS} tasks.`,
  async run(bench) {
    await bench.rest();
    const first = await startService(bench.dataDir);
    await first.stop();
    const again = await startService(bench.dataDir);
    const idle = memory(again.pid, "idle");
    const client = await newTaskClient(again.url);
    await runTasks(client, TASKS);
    const loaded = memory(again.pid, "after load");
    client.http.close();
    const stopMs = await again.stop();
    return [
      { what: "first start on this folder", value: first.startMs / 1000, unit: "s" },
      { what: "start", value: again.startMs / 1000, unit: "s" },
      { what: "stop", value: stopMs / 1000, unit: "s", goal: { atMost: 5 } },
      ...idle,
      ...loaded,
    ];
  },
};

function memory(pid: number, when: string): Figure[] {
  const { workerd, node } = memoryOf(pid);
  return [
    { what: `workerd, ${when}`, value: workerd, unit: "MiB" },
    { what: `local servers, ${when}`, value: node, unit: "MiB" },
  ];
}
