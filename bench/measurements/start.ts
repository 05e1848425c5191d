import type { Figure, Measurement } from "../measurement.ts";
import { processTree } from "../processes.ts";
import { startService } from "../service.ts";
import { INSTANT, newTaskClient } from "../task-client.ts";

const TASKS = 200;
const CALLERS = 8;
const MIB = 2 ** 20;

export const start: Measurement = {
  name: "start",
  title: "Start, memory, stop",
  how:
    "`local/start.sh` with everything installed, from the start of the process to the ready line: on a new folder (builds the " +
    `Worker, makes the database) and again. Memory is what is resident, before and after ${TASKS} tasks.`,
  async run(bench) {
    await bench.rest();
    const first = await startService(bench.dataDir);
    await first.stop();
    const again = await startService(bench.dataDir);
    const idle = memory(again.pid, "idle");
    const client = await newTaskClient(again.url);
    const caller = async () => {
      for (let task = 0; task < TASKS / CALLERS; task += 1)
        await client.done((await client.invoke(INSTANT)).taskId);
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
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
  const tree = processTree(pid);
  const sum = (processes: typeof tree) =>
    processes.reduce((bytes, { resident }) => bytes + resident, 0) / MIB;
  const inWorkerd = tree.filter(({ command }) => command.includes("workerd"));
  return [
    { what: `workerd, ${when}`, value: sum(inWorkerd), unit: "MiB" },
    { what: `local servers, ${when}`, value: sum(tree) - sum(inWorkerd), unit: "MiB" },
  ];
}
