import type { Measurement } from "../measurement.ts";
import { p50, p95, timed } from "../statistics.ts";
import { INSTANT, type TaskClient } from "../task-client.ts";

const WARM_UP = 40;
const ALONE = 120;
const CALLERS = 8;
const CALLS_EACH = 30;

/** Invoke's answer, beside the least that the same machine needs for an insert and an object write. */
export const acknowledgement: Measurement = {
  name: "ack",
  title: "Acknowledgement of an invoke",
  how:
    "1 caller: a hello, an insert, an object write and an invoke take turns; the task ends before the next round. " +
    "8 callers: each invokes again as soon as it is answered, while the tasks run.",
  async run(bench) {
    const [{ client }, floor] = [await bench.use(), await bench.floor()];
    const [hello, insert, objectWrite, alone]: number[][] = [[], [], [], []];
    for (let round = -WARM_UP; round < ALONE; round += 1) {
      const times = [
        await timed(() => floor.hello()),
        await timed(() => floor.insert()),
        await timed(() => floor.objectWrite()),
      ];
      let taskId = "";
      times.push(await timed(async () => ({ taskId } = await client.invoke(INSTANT))));
      await client.done(taskId);
      if (round >= 0) [hello, insert, objectWrite, alone].forEach((list, at) => list?.push(times[at] ?? 0));
    }
    const together = await backToBack(client);
    const least = p50(insert ?? []) + p50(objectWrite ?? []);
    return [
      { what: "floor: hello, p50", value: p50(hello ?? []), unit: "ms" },
      { what: "floor: one database insert, p50", value: p50(insert ?? []), unit: "ms" },
      { what: "floor: one object write, p50", value: p50(objectWrite ?? []), unit: "ms" },
      { what: "1 caller, p50", value: p50(alone ?? []), unit: "ms", goal: { atMost: 15 } },
      { what: "1 caller, p95", value: p95(alone ?? []), unit: "ms" },
      { what: "1 caller, p50 / (insert + object write)", value: p50(alone ?? []) / least, unit: "×", goal: { atMost: 4 } },
      { what: "8 callers, p50", value: p50(together), unit: "ms" },
      { what: "8 callers, p95", value: p95(together), unit: "ms", goal: { atMost: 60 } },
    ];
  },
};

async function backToBack(client: TaskClient): Promise<number[]> {
  const times: number[] = [];
  const tasks: string[] = [];
  const caller = async () => {
    for (let call = 0; call < CALLS_EACH; call += 1) {
      times.push(await timed(async () => tasks.push((await client.invoke(INSTANT)).taskId)));
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  await Promise.all(tasks.map((taskId) => client.done(taskId)));
  return times;
}
