import { createParser, type EventSourceMessage } from "eventsource-parser";

/** What the data line of an event holds. */
export interface EventBody {
  type: string;
  content?: string;
  tool?: string;
  args?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: string;
  status?: string;
  response?: string | null;
  data: Record<string, unknown>;
}

export interface TaskEvent {
  id: number;
  /** The `event` line. */
  type: string;
  body: EventBody;
}

export interface EventRequest {
  /** Base address of the service. */
  url: string;
  key: string;
  taskId: string;
  /** Sent as `last_event_id`. */
  after?: number | undefined;
  /** Sent as `Last-Event-ID`, as a browser does when it reconnects. */
  afterHeader?: number | undefined;
}

/**
 * A task's events as they come, until the service closes the stream; leaving the loop hangs up. Throws on any answer but
 * 200, and on a frame that is not whole.
 */
export async function* readEvents(request: EventRequest): AsyncGenerator<TaskEvent, void, void> {
  const { url, key, taskId, after, afterHeader } = request;
  const query = after === undefined ? "" : `?last_event_id=${after}`;
  const response = await fetch(`${url}/api/external/agent/events/${taskId}${query}`, {
    headers: {
      authorization: `Bearer ${key}`,
      ...(afterHeader !== undefined && { "last-event-id": String(afterHeader) }),
    },
  });
  // A browser that has all of it is told not to come back.
  if (response.status === 204) return;
  if (response.status !== 200 || !response.body) {
    throw new Error(`The events answered ${response.status}: ${await response.text()}`);
  }
  const parsed: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => parsed.push(message) });
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    for (const message of parsed.splice(0)) yield toTaskEvent(message);
  }
}

/** All events up to the end of the stream, or up to and with the event `until`. */
export async function collectEvents(request: EventRequest & { until?: number }): Promise<TaskEvent[]> {
  const events: TaskEvent[] = [];
  for await (const event of readEvents(request)) {
    events.push(event);
    if (event.id === request.until) break;
  }
  return events;
}

/** The ids of `events`. */
export function idsOf(events: readonly TaskEvent[]): number[] {
  return events.map(({ id }) => id);
}

/** `from`, `from` + 1 … `to`. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

function toTaskEvent({ id, event, data }: EventSourceMessage): TaskEvent {
  if (id === undefined || event === undefined) throw new Error(`An event without id or name: ${data}`);
  return { id: Number(id), type: event, body: JSON.parse(data) };
}
