import type { Measurement } from "../measurement.ts";
import { p50, p95, timed } from "../statistics.ts";
import { CALLERS, INSTANT, type TaskClient } from "../task-client.ts";

const WARM_UP = 40;
const ALONE = 120;
const CALLS_EACH = 25;

/** The response time of an invoke, beside the machine's least time for an insert and an object write. */
export const acknowledgement: Measurement = {
  name: "ack",
  title: "Acknowledgement of an invoke",
  how:
    "1 caller: a hello, an insert, an object write and an invoke take turns; the task ends before the next round. " +
    "8 callers: once each invokes again when its task is done, once as soon as it is answered, while the tasks pile up.",
  async run(bench) {
    const [{ client }, floor] = [await bench.use(), await bench.floor()];
    const [hello, insert, objectWrite, alone]: number[][] = [[], [], [], []];
    for (let round = -WARM_UP; round < ALONE; round += 1) {
      const times = [
        await timed(() => floor.hello()),
        await timed(() => floor.insert()),
        await timed(() => floor.newObjectWrite()),
      ];
      let taskId = "";
      times.push(await timed(async () => ({ taskId } = await client.invoke(INSTANT))));
      await client.done(taskId);
      if (round >= 0) [hello, insert, objectWrite, alone].forEach((list, at) => list?.push(times[at] ?? 0));
    }
    const waiting = await together(client, "after done");
    const hurried = await together(client, "at once");
    const least = p50(insert ?? []) + p50(objectWrite ?? []);
    return [
      { what: "floor: hello, p50", value: p50(hello ?? []), unit: "ms" },
      { what: "floor: one database insert, p50", value: p50(insert ?? []), unit: "ms" },
      { what: "floor: one write in a new object, p50", value: p50(objectWrite ?? []), unit: "ms" },
      { what: "1 caller, p50", value: p50(alone ?? []), unit: "ms", goal: { atMost: 15 } },
      { what: "1 caller, p95", value: p95(alone ?? []), unit: "ms" },
      {
        what: "1 caller, p50 / (insert + object write)",
        value: p50(alone ?? []) / least,
        unit: "×",
        goal: { atMost: 4 },
      },
      { what: "8 callers that wait for done, p50", value: p50(waiting), unit: "ms" },
      { what: "8 callers that wait for done, p95", value: p95(waiting), unit: "ms", goal: { atMost: 60 } },
      { what: "8 callers that do not wait, p50", value: p50(hurried), unit: "ms" },
      { what: "8 callers that do not wait, p95", value: p95(hurried), unit: "ms", goal: { atMost: 60 } },
    ];
  },
};

async function together(client: TaskClient, next: "after done" | "at once"): Promise<number[]> {
  const times: number[] = [];
  const tasks: Promise<void>[] = [];
  const caller = async () => {
    for (let call = 0; call < CALLS_EACH; call += 1) {
      let taskId = "";
      times.push(await timed(async () => ({ taskId } = await client.invoke(INSTANT))));
      const done = client.done(taskId);
      if (next === "after done") await done;
      else tasks.push(done);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  await Promise.all(tasks);
  return times;
}
