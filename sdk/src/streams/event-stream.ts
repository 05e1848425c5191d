import { createParser, type EventSourceMessage } from "eventsource-parser";
import { onAbort, type Clock } from "../clock.ts";
import { ConnectionError, TimeoutError, WorkspaceError } from "../errors.ts";
import { isObject, parseJson } from "../json.ts";
import { waitAfter, type Transport } from "../http/transport.ts";

/** The service sends a heartbeat every 15 seconds at most: after three without one the connection is dead. */
const SILENCE_MS = 45_000;
/** Attempts in a row without an event; they take some five minutes. */
const MAX_RECONNECTS = 30;
/** Of one event, in characters: what has no end is no event. */
const MAX_EVENT = 64 * 1024 * 1024;

/** What a stream of events takes. */
export interface StreamOptions {
  /** The id of the last event that is known: the stream begins after it. All events when absent. */
  after?: number | undefined;
  /** Ends the stream, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds without a byte after which the connection is taken for dead; 45,000 when absent. */
  silenceMs?: number | undefined;
  /** Attempts to connect in a row that bring no event; 30 when absent. The stream then throws the last one's error. */
  maxReconnects?: number | undefined;
}

/** An event as it came. */
export interface StreamedEvent {
  /** Its number; that of the event before, for one that has none. */
  id: number;
  /** Its data: an object with the `type` of the event. */
  data: Record<string, unknown>;
}

/** Where the events come from. */
export interface EventSource {
  template: string;
  path: Readonly<Record<string, string>>;
  /** Whether the place is named by `Last-Event-ID` as well: the service then answers 204 after the end. */
  isByHeader?: boolean;
  /** Whether events of a type have no number of their own: none, or that of the last event. All have one when absent. */
  isUnnumbered?: (type: unknown) => boolean;
  /** Whether events of a type tell nothing, such as heartbeats that are data. None does when absent. */
  isEmpty?: (type: unknown) => boolean;
}

/**
 * The events of a stream that has one end, `done`: each once and in order, over as many connections as it takes. A
 * connection that breaks, is silent, or brings something else is replaced by one that begins after the last event. Reads
 * no further than its reader: a slow reader slows the service. Leaving the loop closes the connection.
 *
 * Throws an error of the service that another attempt would not change, such as `NotFoundError` for events that are
 * forgotten; after `maxReconnects` attempts the error of the last one; the reason of the signal.
 */
export async function* eventStream(
  transport: Transport,
  source: EventSource,
  options: StreamOptions,
): AsyncGenerator<StreamedEvent, void, undefined> {
  const { after = 0, signal, maxReconnects = MAX_RECONNECTS } = options;
  const { clock } = transport;
  let last = after;
  let unnumbered = "";
  let failures = 0;
  for (;;) {
    const connection = new AbortController();
    const unfollow = onAbort(signal, () => connection.abort(signal?.reason));
    let problem: unknown;
    try {
      connection.signal.throwIfAborted();
      const response = await open(transport, source, last, connection.signal);
      if (response.status === 204) return;
      for await (const { id, data } of eventsIn(response, connection.signal, options, clock)) {
        if (source.isEmpty?.(data["type"])) continue;
        if (source.isUnnumbered?.(data["type"])) {
          // After each reconnect the state comes once more.
          const text = JSON.stringify(data);
          if (text === unnumbered) continue;
          unnumbered = text;
        } else if (id === undefined) {
          throw new ConnectionError(NOT_OF_SERVICE);
        } else if (id <= last) {
          continue;
        } else if (id !== last + 1) {
          throw new ConnectionError(`The stream lacks events: after ${last} came ${id}`);
        } else {
          last = id;
        }
        failures = 0;
        yield { id: last, data };
        if (data["type"] === "done") return;
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (!mayPass(error)) throw error;
      problem = error;
    } finally {
      unfollow();
      connection.abort();
    }
    if (signal?.aborted) throw signal.reason;
    failures += 1;
    if (failures > maxReconnects) {
      throw problem ?? new ConnectionError("The stream ends before its last event");
    }
    await clock.sleep(waitAfter(problem, failures, clock), signal);
  }
}

function open(
  transport: Transport,
  { template, path, isByHeader }: EventSource,
  after: number,
  signal: AbortSignal,
): Promise<Response> {
  const call = {
    method: "GET",
    template,
    path,
    query: { last_event_id: after || undefined },
    headers: isByHeader && after ? { "last-event-id": String(after) } : {},
    signal,
    // The stream tries again by itself.
    maxRetries: 0,
    isStream: true,
  };
  return transport.send(call, async (response) => response);
}

/** Whether another attempt may go better. Something else than a `WorkspaceError` is a mistake in the program. */
function mayPass(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return true;
  const status = (error instanceof WorkspaceError && error.status) || 0;
  return status === 429 || (status >= 500 && status !== 501);
}

/** The events of one connection, until it ends. Throws a `ConnectionError` for what is no stream of events. */
async function* eventsIn(
  response: Response,
  signal: AbortSignal,
  { silenceMs = SILENCE_MS }: StreamOptions,
  clock: Clock,
): AsyncGenerator<ArrivedEvent, void, undefined> {
  if (!/^text\/event-stream\b/iu.test(response.headers.get("content-type") ?? "") || !response.body) {
    throw new ConnectionError("The answer is not the service's: it is no stream of events");
  }
  const reader = response.body.getReader();
  const close = () => void reader.cancel().catch(() => {});
  const forget = onAbort(signal, close);
  const decoder = new TextDecoder();
  let arrived: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (message) => arrived.push(message),
    maxBufferSize: MAX_EVENT,
  });
  try {
    for (;;) {
      const { done, value } = await unlessSilent(reader.read(), silenceMs, clock);
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      const events = arrived;
      arrived = [];
      for (const message of events) yield eventOf(message);
    }
  } catch (error) {
    throw error instanceof WorkspaceError ? error : new ConnectionError("The stream broke off", error);
  } finally {
    forget();
    close();
  }
}

async function unlessSilent<T>(read: Promise<T>, silenceMs: number, clock: Clock): Promise<T> {
  const heard = new AbortController();
  const silence = clock.sleep(silenceMs, heard.signal).then(() => {
    throw new ConnectionError(`The stream was silent for ${silenceMs} ms`);
  });
  try {
    return await Promise.race([read, silence]);
  } finally {
    heard.abort();
  }
}

interface ArrivedEvent {
  id: number | undefined;
  data: Record<string, unknown>;
}

const NOT_OF_SERVICE = "The stream has an event that is not the service's";

/** Throws a `ConnectionError` for an event that is not the service's. */
function eventOf({ id, data }: EventSourceMessage): ArrivedEvent {
  const body = parseJson(data);
  if (!isObject(body) || (id !== undefined && !/^\d{1,15}$/u.test(id))) {
    throw new ConnectionError(NOT_OF_SERVICE);
  }
  return { id: id === undefined ? undefined : Number(id), data: body };
}
