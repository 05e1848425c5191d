import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";

/** The id of a task's event: a number. */
const EventId = z
  .string()
  .regex(/^\d{0,15}$/u, "must be the id of an event")
  .transform(Number);

/** The event after which a reader of a task's events continues. */
export const ReplayQuery = z.object({
  last_event_id: EventId.optional().describe("Replay starts after this event"),
});

/**
 * The event after which a replay starts; 0 for all events. A browser reconnects with its original address, so its
 * `Last-Event-ID` header is more recent than the query.
 */
export function replayAfter(query: z.output<typeof ReplayQuery>, request: Request): number {
  return Math.max(query.last_event_id ?? 0, lastEventIdOf(request));
}

/** Whether a browser reconnects automatically, which it does until it receives a 204. */
export function isComingBack(request: Request): boolean {
  return Boolean(request.headers.get("last-event-id"));
}

/** An empty stream, for a client other than a browser that asks for events after the end. */
export function emptyStream(): Response {
  return new Response("", { headers: EVENT_STREAM_HEADERS });
}

export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
};

/** For the API reference of streams that can be resumed. */
export const NOTHING_MORE =
  "The `Last-Event-ID` header names the last event of a finished task: browsers then stop reconnecting";

function lastEventIdOf(request: Request): number {
  const header = request.headers.get("last-event-id");
  if (header === null) return 0;
  const parsed = EventId.safeParse(header);
  if (!parsed.success) throw new AppError("invalid_body", "Last-Event-ID must be the id of an event");
  return parsed.data;
}
