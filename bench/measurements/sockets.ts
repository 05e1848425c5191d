import { once } from "node:events";
import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { Measurement } from "../measurement.ts";
import { now, p50, p95 } from "../statistics.ts";
import { lagsOf, STAMPED, TOKEN_EVERY_MS, TOKENS } from "../tokens.ts";

const Delta = z.object({ type: z.literal("text_delta"), content: z.string() });
/**
 * The socket that sent the message receives bare events; other sockets receive them in a frame with their task and
 * chat.
 */
const Frame = z.union([Delta, z.object({ type: z.literal("agent_event"), payload: Delta })]);
const End = z.union([
  z.object({ type: z.literal("done") }),
  z.object({ payload: z.object({ type: z.literal("done") }) }),
]);

export const sockets: Measurement = {
  name: "sockets",
  title: "A chat over sockets",
  how:
    `${TOKENS} tokens that carry the moment the model sent them, one every ${TOKEN_EVERY_MS} ms, to the frame of /ws/chat/{project} ` +
    "that holds them, on the socket that sent the message and on that of another tab; up to 50 ms of it are gathered on purpose.",
  async run(bench) {
    const { service, client } = await bench.use();
    const address = `${service.url.replace(/^http/u, "ws")}/ws/chat/${client.projectId}?token=${client.key}`;
    const [sender, tab] = [listen(address), listen(address)];
    await Promise.all([once(sender.socket, "open"), once(tab.socket, "open")]);
    sender.socket.send(JSON.stringify({ message: STAMPED }));
    await Promise.all([sender.done, tab.done]);
    for (const { socket } of [sender, tab]) socket.close();
    return [
      { what: "model token to the sender's socket, p50", value: p50(sender.lags), unit: "ms" },
      { what: "model token to the sender's socket, p95", value: p95(sender.lags), unit: "ms" },
      { what: "model token to another tab, p50", value: p50(tab.lags), unit: "ms" },
      { what: "model token to another tab, p95", value: p95(tab.lags), unit: "ms" },
      {
        what: `tokens that did not arrive, of ${2 * TOKENS}`,
        value: 2 * TOKENS - sender.lags.length - tab.lags.length,
        unit: "",
        goal: { atMost: 0 },
      },
    ];
  },
};

/** A socket, the lags of its tokens, and a promise of the first task's end. */
function listen(address: string) {
  const socket = new WebSocket(address);
  const lags: number[] = [];
  const done = new Promise<void>((resolve, reject) => {
    socket.addEventListener("close", () => reject(new Error("The socket was closed before the task's end")));
    socket.addEventListener("message", ({ data }) => {
      const at = now();
      const text = String(data);
      const frame = safeParseJson(text, Frame)?.value;
      if (frame) lags.push(...lagsOf("payload" in frame ? frame.payload.content : frame.content, at));
      else if (safeParseJson(text, End)) resolve();
    });
  });
  return { socket, lags, done };
}
