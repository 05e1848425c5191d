import type { Measurement } from "../measurement.ts";
import { startReaders } from "../readers/index.ts";
import { p50, p95, timed } from "../statistics.ts";
import { eventsPath, script } from "../task-client.ts";

const READERS = 500;
/** Time for all readers to connect before the first event. */
const HEAD_START_MS = 6_000;
const TURNS = 4;
const CALLS = 60;
/**
 * The call itself takes about 40 ms, so there are 25 calls a second, each with an event at its start and one at its
 * end.
 */
const CALL = { name: "bash_exec", arguments: { command: "sleep 0.02" } };

export const readers: Measurement = {
  name: "readers",
  title: `${READERS} readers of one task`,
  how:
    "Shell calls one after the other, each event a write of its own. From the `timestamp` in a tool_result or agent_step " +
    "event, taken just before the write, to its arrival at each reader; all readers are connected before the first event.",
  async run(bench) {
    const { client, service } = await bench.use();
    const turn = { tools: Array.from({ length: CALLS }, () => CALL) };
    const turns = Array.from({ length: TURNS }, (_, index) =>
      index === 0 ? { ...turn, first_delay_ms: HEAD_START_MS } : turn,
    );
    const { taskId } = await client.invoke(script([...turns, { text: "Done." }]));
    const { connected, report } = startReaders({
      url: service.url,
      key: client.key,
      path: eventsPath(taskId),
      readers: READERS,
    });
    const connectMs = await timed(() => connected);
    const runMs = await timed(() => report);
    const { lags, lost, events } = await report;
    const seconds = (runMs - Math.max(0, HEAD_START_MS - connectMs)) / 1000;
    return [
      {
        what: `until ${READERS} are connected`,
        value: connectMs,
        unit: "ms",
        goal: { atMost: HEAD_START_MS },
      },
      { what: "events of the task (50 expected)", value: events / seconds, unit: "per s" },
      { what: "lag, p50", value: p50(lags), unit: "ms" },
      { what: "lag, p95", value: p95(lags), unit: "ms", goal: { atMost: 100 } },
      { what: `lost of ${events * READERS} deliveries`, value: lost, unit: "", goal: { atMost: 0 } },
    ];
  },
};
