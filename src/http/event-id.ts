import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";

/** The id of a task's event: a number. */
const EventId = z
  .string()
  .regex(/^\d{0,15}$/u, "must be the id of an event")
  .transform(Number);

/** Where a reader of a task's events goes on. */
export const ReplayQuery = z.object({
  last_event_id: EventId.optional().describe("Replay starts after this event"),
});

/**
 * The event after which a replay starts; 0 for all of them. A browser reconnects with the address it began with: its
 * `Last-Event-ID` header then knows more than the query.
 */
export function replayAfter(query: z.output<typeof ReplayQuery>, request: Request): number {
  return Math.max(query.last_event_id ?? 0, lastEventIdOf(request));
}

/** Whether a browser comes back by itself: it does so until it is answered 204. */
export function isComingBack(request: Request): boolean {
  return Boolean(request.headers.get("last-event-id"));
}

/** A stream without events, for who asked for what comes after the end and is no browser that would ask again. */
export function emptyStream(): Response {
  return new Response("", { headers: EVENT_STREAM_HEADERS });
}

export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
};

/** What the API reference says of streams whose reader may come back. */
export const NOTHING_MORE =
  "The `Last-Event-ID` header names the last event of a finished task: browsers then stop reconnecting";

function lastEventIdOf(request: Request): number {
  const header = request.headers.get("last-event-id");
  if (header === null) return 0;
  const parsed = EventId.safeParse(header);
  if (!parsed.success) throw new AppError("invalid_body", "Last-Event-ID must be the id of an event");
  return parsed.data;
}
