import type { Measurement } from "../measurement.ts";
import { p50, p95, timed } from "../statistics.ts";
import { eventsPath, idOf, script, timestampOf } from "../task-client.ts";

const WARM_UP_TURNS = 20;
const TURNS = 150;
const WRITES = 150;
const TURN = { first_delay_ms: 20, tools: [{ name: "get_project_info", arguments: {} }] };

export const live: Measurement = {
  name: "live",
  title: "A live event to one reader",
  how:
    "From the `timestamp` in an agent_step event, taken just before the executor writes it to the log, to its arrival: " +
    "includes the durable write, and up to 1 ms because timestamps are whole milliseconds.",
  async run(bench) {
    const [{ client }, floor] = [await bench.use(), await bench.floor()];
    const writes: number[] = [];
    for (let round = 0; round < WRITES; round += 1) writes.push(await timed(() => floor.objectWrite()));
    const turns = Array.from({ length: WARM_UP_TURNS + TURNS }, () => TURN);
    const { taskId } = await client.invoke(script([...turns, { text: "Done." }]));
    const lags: number[] = [];
    let last = 0;
    let lost = 0;
    await client.http.events(eventsPath(taskId), (frame, at) => {
      const id = idOf(frame);
      if (id === undefined) return;
      lost += id - last - 1;
      last = id;
      const sent = frame.includes("\nevent: agent_step\n") ? timestampOf(frame) : undefined;
      if (sent !== undefined) lags.push(at - sent);
    });
    const measured = lags.slice(WARM_UP_TURNS);
    return [
      { what: "floor: one write in an object that is there, p50", value: p50(writes), unit: "ms" },
      { what: "lag, p50", value: p50(measured), unit: "ms", goal: { atMost: 2 } },
      { what: "lag, p95", value: p95(measured), unit: "ms", goal: { atMost: 5 } },
      { what: `lost of ${last} events`, value: lost, unit: "", goal: { atMost: 0 } },
    ];
  },
};
