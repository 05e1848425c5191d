import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { Measurement } from "../measurement.ts";
import { now, p50, p95 } from "../statistics.ts";
import { INSTANT } from "../task-client.ts";
import { lagsOf, STAMPED, TOKEN_EVERY_MS, TOKENS } from "../tokens.ts";

const WARM_UP = 10;
const ROUNDS = 60;

const Chunk = z.object({
  choices: z.array(z.object({ delta: z.object({ content: z.string().nullish() }) })),
});

export const proxy: Measurement = {
  name: "proxy",
  title: "The service as a model server",
  how:
    "First chunk: from sending POST /api/v1/chat/completions to the first text of its stream, the demo model's time included. " +
    `Token: ${TOKENS} tokens that carry the moment the model sent them, one every ${TOKEN_EVERY_MS} ms, to the chunk that holds them.`,
  async run(bench) {
    const { client } = await bench.use();
    const ask = (content: string, onText: (text: string, at: number) => void) =>
      client.http.events("/api/v1/chat/completions", (frame, at) => onText(textOf(frame), at), {
        model: "demo",
        stream: true,
        messages: [{ role: "user", content }],
      });
    const first: number[] = [];
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      const sent = now();
      let seen = 0;
      await ask(INSTANT, (text, at) => {
        if (text !== "") seen ||= at;
      });
      if (round >= 0) first.push(seen - sent);
    }
    const lags: number[] = [];
    await ask(STAMPED, (text, at) => lags.push(...lagsOf(text, at)));
    return [
      { what: "first chunk, p50", value: p50(first), unit: "ms" },
      { what: "first chunk, p95", value: p95(first), unit: "ms" },
      { what: "model token to chunk, p50", value: p50(lags), unit: "ms" },
      { what: "model token to chunk, p95", value: p95(lags), unit: "ms" },
      {
        what: `tokens that did not arrive, of ${TOKENS}`,
        value: TOKENS - lags.length,
        unit: "",
        goal: { atMost: 0 },
      },
    ];
  },
};

/** The model's text in a frame. */
function textOf(frame: string): string {
  const chunk = frame.startsWith("data: ") && safeParseJson(frame.slice(6), Chunk)?.value;
  return chunk ? chunk.choices.map(({ delta }) => delta.content ?? "").join("") : "";
}
