import type { Measurement } from "../measurement.ts";
import { p50, timed } from "../statistics.ts";
import { eventsPath, script } from "../task-client.ts";

const PIECES = 1000;
/** Longer than the service gathers text, so that each piece becomes its own event and row. */
const PIECE_EVERY_MS = 55;
/** A step that has used half of its writes gathers text for longer, so the limit is raised. */
const NEVER_SPARING = { STEP_MAX_APPENDS: String(PIECES * 4) };
const REPLAYS = 15;
/** Pieces beyond those that are needed: on a busy machine two may arrive together and become one event. */
const SPARE = 50;
const TURN = { text: "word ", chunks: PIECES + SPARE, delay_ms: PIECE_EVERY_MS, stall: true };
/** After so long without an event, the model has sent everything. */
const QUIET_MS = 3000;
const MARK = "\nevent: ";
/** The log sends this to a reader that has received all events. */
const GREETING = ": keep-alive\n\n";

export const replayLive: Measurement = {
  name: "replay-live",
  title: `Replay of a live task of ${PIECES.toLocaleString("en")} single pieces of text`,
  how:
    "The model has sent its pieces one by one and pauses; a reader connects and reads until it is live. The rate uses its " +
    `time minus that of a reader that connects with the last id; median of ${REPLAYS} each. Takes a minute.`,
  async run(bench) {
    const { client } = await bench.use(NEVER_SPARING);
    const { taskId } = await client.invoke(script([TURN]));
    const path = eventsPath(taskId);
    const last = await lastOf(() => client.http.count(path, MARK, GREETING));
    const [whole, none]: [number[], number[]] = [[], []];
    const upToDate = eventsPath(taskId, last);
    for (let round = 0; round < REPLAYS; round += 1) {
      whole.push(await timed(() => client.http.count(path, MARK, GREETING)));
      none.push(await timed(() => client.http.count(upToDate, MARK, GREETING)));
    }
    await bench.rest();
    const seconds = (p50(whole) - p50(none)) / 1000;
    return [
      { what: "events", value: last, unit: "", goal: { atLeast: PIECES } },
      { what: "replayed", value: last / seconds, unit: "events/s", goal: { atLeast: 100_000 } },
      { what: "read from the first event, p50", value: p50(whole), unit: "ms" },
      { what: "read from the last event, p50", value: p50(none), unit: "ms" },
    ];
  },
};

/** The number of events, once no more arrive. */
async function lastOf(read: () => Promise<{ count: number }>): Promise<number> {
  for (let before = -1; ;) {
    const { count } = await read();
    if (count === before) return count;
    before = count;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
}
