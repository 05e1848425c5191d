import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { Measurement } from "../measurement.ts";
import { now, p50, p95 } from "../statistics.ts";
import { INSTANT } from "../task-client.ts";
import { lagsOf, STAMPED, TOKEN_EVERY_MS, TOKENS } from "../tokens.ts";

const WARM_UP = 10;
const ROUNDS = 60;

const Delta = z.object({ type: z.literal("text_delta"), content: z.string() });

export const chat: Measurement = {
  name: "chat",
  title: "A chat in a browser",
  how:
    `First frame: from sending POST /api/chat/agent/stream to its first frame. Token: ${TOKENS} tokens that carry the moment the ` +
    `model sent them, one every ${TOKEN_EVERY_MS} ms, to the event that holds them; up to 50 ms of it are gathered on purpose.`,
  async run(bench) {
    const { client } = await bench.use();
    const { person, projectId: project_id } = client;
    const first: number[] = [];
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      const sent = now();
      let seen = 0;
      await person.events("/api/chat/agent/stream", (_frame, at) => (seen ||= at), {
        project_id,
        message: INSTANT,
        edit_mode: "allow",
      });
      if (round >= 0) first.push(seen - sent);
    }
    const lags: number[] = [];
    await person.events(
      "/api/chat/agent/stream",
      (frame, at) => {
        const line = frame.split("\n").find((each) => each.startsWith("data: "));
        const delta = line && safeParseJson(line.slice(6), Delta)?.value;
        if (delta) lags.push(...lagsOf(delta.content, at));
      },
      { project_id, message: STAMPED, edit_mode: "allow" },
    );
    return [
      { what: "first frame, p50", value: p50(first), unit: "ms" },
      { what: "first frame, p95", value: p95(first), unit: "ms" },
      { what: "model token to event, p50", value: p50(lags), unit: "ms" },
      { what: "model token to event, p95", value: p95(lags), unit: "ms" },
      {
        what: `tokens that did not arrive, of ${TOKENS}`,
        value: TOKENS - lags.length,
        unit: "",
        goal: { atMost: 0 },
      },
    ];
  },
};
