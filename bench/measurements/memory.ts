import { setTimeout as sleep } from "node:timers/promises";
import type { Floor } from "../floor/index.ts";
import type { Figure, Measurement } from "../measurement.ts";
import { memoryOf } from "../processes.ts";
import { timed } from "../statistics.ts";
import { CALLERS, runTasks } from "../task-client.ts";

const TASKS = 5000;
const PARTS = 5;
const WARM_UP = 40;

export const memory: Measurement = {
  name: "memory",
  title: `Memory after ${TASKS.toLocaleString("en")} tasks`,
  how:
    `Resident memory of a newly started service after ${CALLERS} callers have run so many one-turn tasks with ` +
    "an instant model. Floor: a Worker after as many new objects with one row each, in the same time. Each began with a " +
    "few, so that what grows is the cost of the objects. Takes minutes.",
  async run(bench) {
    await bench.rest();
    const { client, service } = await bench.use();
    await runTasks(client, WARM_UP);
    const begun = memoryOf(service.pid);
    const figures: Figure[] = [{ what: "workerd, at the beginning", value: begun.workerd, unit: "MiB" }];
    let last = begun;
    const tookMs = await timed(async () => {
      for (let part = 1; part <= PARTS; part += 1) {
        await runTasks(client, TASKS / PARTS);
        last = memoryOf(service.pid);
        const after = `after ${((TASKS / PARTS) * part).toLocaleString("en")}`;
        figures.push(
          { what: `workerd, ${after}`, value: last.workerd, unit: "MiB" },
          { what: `Node, ${after}`, value: last.node, unit: "MiB" },
        );
      }
    });
    await bench.rest();
    const floor = await memoryOfFloor(await bench.floor(), tookMs);
    return [
      ...figures,
      { what: "floor, workerd, at the beginning", value: floor.begun, unit: "MiB" },
      { what: "floor, workerd", value: floor.last, unit: "MiB" },
      {
        what: "workerd at the end, of the floor",
        value: last.workerd / floor.last,
        unit: "×",
        goal: { atMost: 1.3 },
      },
      {
        what: "what workerd grew by, of the floor's",
        value: (last.workerd - begun.workerd) / (floor.last - floor.begun),
        unit: "×",
      },
      { what: "Node at the end", value: last.node, unit: "MiB", goal: { atMost: 500 } },
    ];
  },
};

/** Of its workerd, before and after as many new objects as tasks, by as many callers, in about `inMs`. */
async function memoryOfFloor(floor: Floor, inMs: number): Promise<{ begun: number; last: number }> {
  for (let made = 0; made < WARM_UP; made += 1) await floor.newObjectWrite();
  const begun = memoryOf(floor.pid).workerd;
  const eachMs = (inMs * CALLERS) / TASKS;
  const caller = async () => {
    for (let made = 0; made < TASKS / CALLERS; made += 1) {
      const took = await timed(() => floor.newObjectWrite());
      await sleep(Math.max(0, eachMs - took));
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return { begun, last: memoryOf(floor.pid).workerd };
}
