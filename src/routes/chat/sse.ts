import { isOwn, isRefusal, LastingAccess, type Caller } from "#src/domain/access/permissions/index.ts";
import {
  followTask,
  requireTask,
  SHARED_CHECK_MS,
  withNotices,
  type SentMessage,
  type WaitingMessage,
} from "#src/domain/agent-work/chats/index.ts";
import { streamTask, taskEvents } from "#src/domain/agent-work/tasks/index.ts";
import { readCredentials } from "#src/http/credentials.ts";
import { EVENT_STREAM_HEADERS } from "#src/http/event-id.ts";
import { storedCallerOf } from "#src/http/stored-caller.ts";
import { sentenceOf } from "#src/lib/close-codes.ts";
import { dataFrame, type Heard } from "#src/lib/server-sent-events.ts";
import { AppError } from "#src/lib/errors.ts";
import { encoded, toStream } from "#src/lib/to-stream.ts";
import type { Services } from "#src/services.ts";

/**
 * Converts an event of the log to the client's format; returns an empty string for events that the client does not
 * receive.
 */
type Translate = (heard: Heard) => string;

/** The caller of a stream and their request. */
export interface Reader {
  caller: Caller;
  request: Request;
}

/**
 * Streams a task's events in a client's format, to the task's end. A disconnect of the client does not affect the task.
 * Sends `first` at once, and then what the message waits for. A client that reconnects automatically to a finished
 * task, and already has all its events, gets 204. A caller who may no longer read the task receives a failure event and
 * nothing else.
 */
export async function streamOf(
  services: Services,
  { caller, request }: Reader,
  task: Parameters<typeof streamTask>[1] & { userId?: string },
  options: {
    after?: number;
    first?: string;
    waits?: WaitingMessage | undefined;
    translate: Translate;
    headers?: Record<string, string>;
    /** Whether a browser has reconnected, which stops when it receives a 204. */
    isComingBack?: boolean;
  },
): Promise<Response> {
  const { after = 0, first = "", waits, translate, headers = {}, isComingBack = false } = options;
  const opened = await streamTask(services, task, after, caller.userId);
  if (opened.status === 204 && isComingBack) return opened;
  // Access to another person's task may be taken back at any time.
  const isForeign = task.userId !== undefined && !isOwn(caller, { userId: task.userId });
  const access = new LastingAccess(
    services,
    storedCallerOf(caller, readCredentials(request, services.config)),
    {
      forMs: isForeign ? SHARED_CHECK_MS : services.config.SOCKET_CHECK_SECONDS * 1000,
      check: (renewed) => requireTask(services, renewed, task.id, "chat.view"),
    },
  );
  async function* frames() {
    let last = after;
    if (first !== "") yield first;
    try {
      const log = followTask(services, task, after, opened, caller.userId);
      for await (const heard of waits ? withNotices(services.db, waits, log) : log) {
        const newest = heard.kind === "events" ? heard.events.at(-1) : undefined;
        // The end of an own task is sent without an access check, because it may have been deleted with its chat.
        if (newest?.type !== "done" || isForeign) await access.hold();
        last = newest?.id || last;
        const text = translate(heard);
        if (text !== "") yield text;
      }
    } catch (error) {
      if (!isRefusal(error)) throw error;
      yield translate({ kind: "events", events: [{ id: last, ...taskEvents.failure(sentenceOf(error)) }] });
    }
  }
  return eventStream(frames(), headers);
}

/**
 * Returns the response of `send`. If the team has no credits, returns a stream with a single `error` frame whose
 * `data.code` is `insufficient_credits`. Every other refusal is an HTTP status.
 */
export async function unlessWithoutCredits(send: () => Promise<Response>): Promise<Response> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "insufficient_credits") throw error;
    const { data } = taskEvents.failure(error.message, error.code);
    return eventStream(only(dataFrame(data)));
  }
}

/** A response that streams frames. */
function eventStream(
  frames: AsyncGenerator<string, void, undefined>,
  headers: Record<string, string> = {},
): Response {
  return new Response(toStream(encoded(frames)), { headers: { ...EVENT_STREAM_HEADERS, ...headers } });
}

async function* only(frame: string): AsyncGenerator<string, void, undefined> {
  yield frame;
}

/** A task that was started just now, as the reader of its log needs it. */
export function freshTask({ taskId, chatId }: SentMessage) {
  return { id: taskId, chatId, status: "queued" } as const;
}

/** What a new message waits for, for notices in its stream. */
export function waitOf({ taskId, waiting, refused }: SentMessage): WaitingMessage | undefined {
  return waiting ? { taskId, waiting, refused } : undefined;
}

/** The ids of the task and its chat, for streams whose frames do not carry them. */
export function taskHeaders({ taskId, chatId }: SentMessage): Record<string, string> {
  return { "X-Task-Id": taskId, "X-Chat-Id": chatId };
}
