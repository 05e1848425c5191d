import type { Figure, Measurement } from "../measurement.ts";
import { cpuOf, type CpuTime } from "../processes.ts";
import { CALLERS, runTasks } from "../task-client.ts";

const WARM_UP = 200;
const TASKS = 500;

export const cpu: Measurement = {
  name: "cpu",
  title: "CPU of a one-turn task with an instant model",
  how:
    `CPU time of all threads over ${TASKS} tasks of ${CALLERS} callers that read each to its end, divided by the number of ` +
    `tasks, after ${WARM_UP} tasks of warm-up. Steadier than a latency where the machine is shared. Node is all of local/, stand-ins/ and hosts/.`,
  async run(bench) {
    const { client, service } = await bench.use();
    await runTasks(client, WARM_UP);
    const before = cpuOf(service.pid);
    await runTasks(client, TASKS);
    const after = cpuOf(service.pid);
    return [
      ...perTask("workerd", before.workerd, after.workerd, { atMost: 12 }),
      ...perTask("Node", before.node, after.node),
    ];
  },
};

function perTask(what: string, before: CpuTime, after: CpuTime, goal?: Figure["goal"]): Figure[] {
  const user = (after.user - before.user) / TASKS;
  const system = (after.system - before.system) / TASKS;
  return [
    { what, value: user + system, unit: "ms", ...(goal && { goal }) },
    { what: `${what}, user`, value: user, unit: "ms" },
    { what: `${what}, system`, value: system, unit: "ms" },
  ];
}
