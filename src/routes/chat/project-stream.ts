import { jsonFrame } from "#src/lib/server-sent-events.ts";
import { z } from "zod";
import type { ProjectPosition } from "#src/domain/agent-work/chats/index.ts";
import { ENDED } from "#src/lib/close-codes.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { PING } from "#src/lib/socket-ping.ts";
import type { ProjectStreamFrame, ProjectTaskEvent } from "#src/wire/streams.ts";

/** Keeps connections open; clients ignore comments. */
const KEEPALIVE = ": keepalive\n\n";
const KEEPALIVE_MS = 15_000;
/**
 * Most bytes buffered for a slow client. Beyond that the stream ends; the client reconnects with its last id and
 * receives the rest from the logs.
 */
const MAX_BEHIND_BYTES = 4 * 1024 * 1024;

/** The messages of the project's object that are passed on. A task's message is not an event of its log. */
const Shown = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("agent_event"),
    task_id: z.string(),
    chat_id: z.string(),
    event_id: z.number(),
    payload: z.looseObject({ type: z.string() }).pipe(z.custom<ProjectTaskEvent>()),
  }),
  z.object({ type: z.literal("error"), message: z.string(), task_id: z.string().optional() }),
]);

/**
 * Translates a socket of the project's object into Server-Sent Events: after `ready` the events of all tasks, each with
 * the position after it as its id. Ends with the socket. When the client leaves, which `gone` signals first, closes the
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
          // The object limits what it sends to a socket from which it receives nothing, hence the ping.
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
  if (frame.type === "error") return jsonFrame(frame satisfies ProjectStreamFrame);
  const { task_id, chat_id, event_id, payload } = frame;
  position.advance(task_id, { id: event_id, type: payload.type });
  return withId({ chat_id, task_id, event: payload }, position);
}

/** The data line comes first, because some clients expect it there. */
function withId(body: ProjectStreamFrame, position: ProjectPosition): string {
  return `data: ${JSON.stringify(body)}\nid: ${position.toString()}\n\n`;
}
