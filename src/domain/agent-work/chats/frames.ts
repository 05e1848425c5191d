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

/** Reads the Server-Sent Events of a task's log, which are `id`, `event` and `data` lines, or a comment. */
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

/** A comment. It keeps connections open; clients ignore it. */
export const COMMENT = ": keep-alive\n\n";

/** For clients that close a stream without data for a while. */
export const DATA_HEARTBEAT = 'data: {"type":"agent_heartbeat","data":{}}\n\n';

/** An event as the log itself writes it. */
export function eventFrame({ id, type, data }: LoggedEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`;
}

/** A comment for a notice that is not in the log, for clients that expect only logged events. Its data is one line. */
export function noticeComment({ type, data }: LoggedEvent): string {
  return `: ${type} ${data}\n\n`;
}

export function dataFrame(body: object): string {
  return `data: ${JSON.stringify(body)}\n\n`;
}

/**
 * An event for clients of the rich streams: that of the log, except that a call with its result is a `tool_call`. It has an
 * id when the client can resume with it. It never has an `event` line, which these clients do not parse.
 */
export function richFrame({ id, type, data }: LoggedEvent, withId: boolean): string {
  const text = type === "tool_result" ? data.replace('{"type":"tool_result"', '{"type":"tool_call"') : data;
  return withId && id > 0 ? `id: ${id}\ndata: ${text}\n\n` : `data: ${text}\n\n`;
}
