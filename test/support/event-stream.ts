import { createParser } from "eventsource-parser";

/** An event as a client gets it. */
export interface TaskEvent {
  id: number;
  type: string;
  /** The text of its data line. */
  text: string;
  /** The data, parsed. */
  body: TaskEventBody;
}

/** What tests look at; an event carries those that its type has. */
export interface TaskEventBody {
  type: string;
  content?: string;
  status?: string;
  response?: string | null;
  data?: {
    id?: string;
    iteration?: number;
    reason?: string;
    parameters?: Record<string, unknown>;
    result?: { success: boolean; error?: string };
  };
}

export interface Follower {
  onEvent: (event: TaskEvent) => void;
  /** The first heartbeat came: what was stored has been replayed, what follows is new. */
  onLive?: () => void;
}

/** The service refuses the stream. */
export class EventsRefused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Read a task's events after an id until its stream ends. Throws when the stream cannot be opened or breaks. Whether the
 * end was the task's, the last event tells.
 */
export async function followEvents(
  service: { url: string; key: string; signal?: AbortSignal },
  taskId: string,
  after: number,
  { onEvent, onLive }: Follower,
): Promise<void> {
  const response = await fetch(`${service.url}/api/external/agent/events/${taskId}?last_event_id=${after}`, {
    headers: { authorization: `Bearer ${service.key}` },
    signal: service.signal ?? null,
  });
  if (!response.ok || !response.body)
    throw new EventsRefused(
      response.status,
      `The events of ${taskId} answered ${response.status}: ${await response.text()}`,
    );
  const parser = createParser({
    onEvent: ({ id, event, data }) =>
      onEvent({ id: Number(id), type: event ?? "", text: data, body: JSON.parse(data) }),
    onComment: () => onLive?.(),
  });
  const decoder = new TextDecoder();
  for await (const bytes of response.body) parser.feed(decoder.decode(bytes, { stream: true }));
}

/** All events of a task, from the first to its end. */
export async function readEvents(
  service: { url: string; key: string; signal?: AbortSignal },
  taskId: string,
): Promise<TaskEvent[]> {
  const events: TaskEvent[] = [];
  await followEvents(service, taskId, 0, { onEvent: (event) => events.push(event) });
  return events;
}
