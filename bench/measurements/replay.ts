import { text } from "node:stream/consumers";
import { sendTurn } from "#stand-ins/model/answer.ts";
import { ChatRequest, momentOf } from "#stand-ins/model/conversation.ts";
import { serve } from "#local/serve.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import type { Measurement } from "../measurement.ts";
import { p50, timed } from "../statistics.ts";
import { eventsPath } from "../task-client.ts";

const TURNS = 50;
const CALLS = 200;
const REPLAYS = 8;
const MARK = "\nevent: ";

export const replay: Measurement = {
  name: "replay",
  title: "Replay of a task of 20,000 events to one reader",
  how: `A finished task of ${TURNS} turns with ${CALLS} parallel read-only calls each, read whole from its first event; median of ${REPLAYS}.`,
  async run(bench) {
    const model = await startBusyModel();
    try {
      const { client } = await bench.use({
        OPENAI_BASE_URL: model.url,
        OPENAI_API_KEY: "bench",
        DEFAULT_MODEL: "busy",
      });
      const { taskId } = await client.invoke("Be busy.");
      await client.done(taskId);
      const path = eventsPath(taskId);
      const { count, bytes } = await client.http.count(path, MARK);
      const times: number[] = [];
      for (let round = 0; round < REPLAYS; round += 1) {
        times.push(await timed(() => client.http.count(path, MARK)));
      }
      const seconds = p50(times) / 1000;
      return [
        { what: "events", value: count, unit: "", goal: { atLeast: 20_000 } },
        { what: "replayed", value: count / seconds, unit: "events/s", goal: { atLeast: 100_000 } },
        { what: "replayed", value: bytes / 2 ** 20 / seconds, unit: "MiB/s" },
      ];
    } finally {
      await bench.rest();
      await model.close();
    }
  },
};

/** Speaks the same protocol as the demo model; a script of so many calls would be too long for a message. */
async function startBusyModel(): Promise<{ url: string; close(): Promise<void> }> {
  const tools = Array.from({ length: CALLS }, () => ({ name: "get_project_info", arguments: {} }));
  const pauses = { delay_ms: 0, first_delay_ms: 0, stall: false, garbage: false };
  const { url, close } = await serve(async (request, response) => {
    const chat = parseJson(await text(request), ChatRequest);
    const over = momentOf(chat).turn >= TURNS;
    await sendTurn({ ...pauses, text: over ? "Done." : "", tools: over ? [] : tools }, chat, response);
  });
  return { url: `${url}/v1`, close };
}
