import type { Figure, Measurement } from "../measurement.ts";
import { memoryOf } from "../processes.ts";
import { CALLERS, runTasks } from "../task-client.ts";

const TASKS = 5000;
const PARTS = 5;

export const memory: Measurement = {
  name: "memory",
  title: `Memory after ${TASKS.toLocaleString("en")} tasks`,
  how:
    `Resident memory of a newly started service after ${CALLERS} callers have run so many one-turn tasks with ` +
    "an instant model. Takes minutes.",
  async run(bench) {
    await bench.rest();
    const { client, service } = await bench.use();
    const figures: Figure[] = [];
    for (let part = 1; part <= PARTS; part += 1) {
      await runTasks(client, TASKS / PARTS);
      const isLast = part === PARTS;
      const { workerd, node } = memoryOf(service.pid);
      const after = `after ${((TASKS / PARTS) * part).toLocaleString("en")}`;
      figures.push(
        { what: `workerd, ${after}`, value: workerd, unit: "MiB", ...(isLast && { goal: { atMost: 350 } }) },
        { what: `Node, ${after}`, value: node, unit: "MiB", ...(isLast && { goal: { atMost: 500 } }) },
      );
    }
    return figures;
  },
};
