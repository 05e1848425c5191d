/**
 * The part of Server-Sent Events that the service writes and reads (https://html.spec.whatwg.org/#parsing-an-event-stream).
 * Line breaks are `\n` only, because clients split frames on `\n\n`.
 */

/** An event of a task's log, as sent to a reader. */
export interface LoggedEvent {
  /** 0 for a notice, which is not in the log. */
  id: number;
  type: string;
  /** One line of JSON. */
  data: string;
}

/** One delivery of a log: events, or only a heartbeat. */
export type Heard = { kind: "events"; events: LoggedEvent[] } | { kind: "heartbeat" };

/** Reads a task's log, whose frames are an event's `id`, `event` and `data` lines, or a comment. */
export async function* heardIn(body: ReadableStream<Uint8Array>): AsyncGenerator<Heard, void, undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    const events = blocks.flatMap((block) => (block.startsWith(":") ? [] : [eventIn(block)]));
    if (events.length > 0) yield { kind: "events", events };
    else if (blocks.length > 0) yield { kind: "heartbeat" };
  }
}

function eventIn(block: string): LoggedEvent {
  const event: LoggedEvent = { id: 0, type: "", data: "" };
  for (const line of block.split("\n")) {
    if (line.startsWith("id: ")) event.id = Number(line.slice(4));
    else if (line.startsWith("event: ")) event.type = line.slice(7);
    else if (line.startsWith("data: ")) event.data = line.slice(6);
  }
  return event;
}

/** A comment that keeps a connection open; clients ignore it. */
export const KEEP_ALIVE = ": keep-alive\n\n";

/** An event with its id and type. */
export function eventFrame({ id, type, data }: LoggedEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`;
}

/** A frame of data alone. `data` is one line. */
export function dataFrame(data: string): string {
  return `data: ${data}\n\n`;
}

/** As `dataFrame`, for a body that is not text yet. */
export function jsonFrame(body: object): string {
  return dataFrame(JSON.stringify(body));
}
