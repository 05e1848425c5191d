import type { Measurement } from "../measurement.ts";
import { p50, p95, timed } from "../statistics.ts";
import { CALLERS, INSTANT } from "../task-client.ts";

const WARM_UP = 20;
const ALONE = 100;
const SECONDS = 6;

export const throughput: Measurement = {
  name: "done",
  title: "Whole tasks with an instant model",
  how:
    "From the invoke to the `done` event at a reader that connects once the invoke is answered; the demo model gives one " +
    "answer. 8 callers: each invokes again when its task is done.",
  async run(bench) {
    const { client } = await bench.use();
    const one = async () => client.done((await client.invoke(INSTANT)).taskId);
    for (let round = 0; round < WARM_UP; round += 1) await one();
    const alone: number[] = [];
    for (let round = 0; round < ALONE; round += 1) alone.push(await timed(one));

    const together: number[] = [];
    const start = performance.now();
    const end = start + SECONDS * 1000;
    const caller = async () => {
      while (performance.now() < end) together.push(await timed(one));
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    const rate = together.length / ((performance.now() - start) / 1000);
    return [
      { what: "1 caller, invoke to done, p50", value: p50(alone), unit: "ms", goal: { atMost: 35 } },
      { what: "1 caller, invoke to done, p95", value: p95(alone), unit: "ms" },
      { what: "8 callers, finished tasks", value: rate, unit: "per s", goal: { atLeast: 60 } },
      { what: "8 callers, invoke to done, p50", value: p50(together), unit: "ms" },
    ];
  },
};
