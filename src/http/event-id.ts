import { z } from "zod";

const EVENT_ID = /^\d{0,15}$/u;
const INVALID_ID = "must be the id of an event";

/** The id of a task's event: a number. */
const EventId = z.string().regex(EVENT_ID, INVALID_ID).transform(Number);

/** The event after which a reader of a task's events continues. */
export const ReplayQuery = z.object({
  last_event_id: EventId.optional().describe("Replay starts after this event"),
});

/** The header with which browsers resume a stream of events. Other clients may send it too. */
export const ResumeHeaders = z.object({
  "Last-Event-ID": z
    .string()
    .regex(EVENT_ID, INVALID_ID)
    .transform((id) => (id === "" ? undefined : Number(id)))
    .optional()
    .describe(
      "The last event that the client has: replay starts after it. Browsers send it when they reconnect",
    ),
});
type ResumeHeaders = z.output<typeof ResumeHeaders>;

/**
 * The event after which a replay starts; 0 for all events. A browser reconnects with its original address, so its
 * `Last-Event-ID` header is more recent than the query.
 */
export function replayAfter(query: z.output<typeof ReplayQuery>, headers: ResumeHeaders): number {
  return Math.max(query.last_event_id ?? 0, headers["Last-Event-ID"] ?? 0);
}

/** Whether a browser reconnects automatically, which it does until it receives a 204. */
export function isComingBack(headers: ResumeHeaders): boolean {
  return headers["Last-Event-ID"] !== undefined;
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
