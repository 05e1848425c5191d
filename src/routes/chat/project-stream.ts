import { dataFrame } from "#src/lib/server-sent-events.ts";
import { z } from "zod";
import type { ProjectPosition } from "#src/domain/agent-work/chats/index.ts";
import { ENDED } from "#src/lib/close-codes.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { PING } from "#src/lib/socket-ping.ts";

/** Which keeps connections open; clients skip comments. */
const KEEPALIVE = ": keepalive\n\n";
const KEEPALIVE_MS = 15_000;
/** Bytes that a client may be behind; then it is to come back with its last id, and is shown the rest from the logs. */
const MAX_BEHIND_BYTES = 4 * 1024 * 1024;

/** What is passed on of what the project's object sends. The message of a task is no event of its log. */
const Shown = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("agent_event"),
    task_id: z.string(),
    chat_id: z.string(),
    event_id: z.number(),
    payload: z.looseObject({ type: z.string() }),
  }),
  z.object({ type: z.literal("error"), message: z.string(), task_id: z.string().optional() }),
]);

/**
 * What a socket of the project's object shows, as Server-Sent Events: after `ready` the events of all tasks, each with the
 * position after it as its id. Ends where the socket does; where nobody reads it any more, which `gone` tells first, it ends the
 * socket.
 */
export function projectStream(
  socket: WebSocket,
  position: ProjectPosition,
  gone: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let timer: ReturnType<typeof setInterval> | undefined;
  let isOver = false;
  const hangUp = () => {
    clearInterval(timer);
    if (socket.readyState === WebSocket.OPEN) socket.close(ENDED.code, ENDED.reason);
  };
  gone.addEventListener("abort", hangUp, { once: true });
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = () => {
          hangUp();
          if (!isOver) controller.close();
          isOver = true;
        };
        const send = (text: string) => {
          if (isOver) return;
          controller.enqueue(encoder.encode(text));
          if ((controller.desiredSize ?? 0) <= 0) end();
        };
        socket.addEventListener("message", ({ data }) => {
          const frame = safeParseJson(String(data), Shown)?.value;
          if (frame) send(toSse(frame, position));
        });
        socket.addEventListener("close", end);
        socket.addEventListener("error", end);
        timer = setInterval(() => {
          send(KEEPALIVE);
          // To a socket of which nothing is heard only so much is sent.
          if (socket.readyState === WebSocket.OPEN) socket.send(PING);
        }, KEEPALIVE_MS);
        send(withId({ type: "ready" }, position));
        socket.accept();
        if (gone.aborted) hangUp();
      },
      cancel() {
        isOver = true;
        hangUp();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_BEHIND_BYTES }),
  );
}

function toSse(frame: z.output<typeof Shown>, position: ProjectPosition): string {
  if (frame.type === "error") return dataFrame(JSON.stringify(frame));
  const { task_id, chat_id, event_id, payload } = frame;
  position.advance(task_id, { id: event_id, type: payload.type });
  return withId({ chat_id, task_id, event: payload }, position);
}

/** The data line comes first, as some clients expect of a frame. */
function withId(body: object, position: ProjectPosition): string {
  return `data: ${JSON.stringify(body)}\nid: ${position.toString()}\n\n`;
}
