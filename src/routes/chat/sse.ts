import { isRefusal, LastingAccess, type Caller } from "#src/domain/organisations/access/index.ts";
import {
  followTask,
  requireTask,
  withNotices,
  type SentMessage,
  type WaitingMessage,
} from "#src/domain/agent-work/chats/index.ts";
import { streamTask, taskEvents } from "#src/domain/agent-work/tasks/index.ts";
import { readCredentials } from "#src/http/credentials.ts";
import { EVENT_STREAM_HEADERS, isComingBack } from "#src/http/event-id.ts";
import { standingOf } from "#src/http/standing.ts";
import { sentenceOf } from "#src/lib/close-codes.ts";
import { dataFrame, type Heard } from "#src/lib/server-sent-events.ts";
import { AppError } from "#src/lib/errors.ts";
import { encoded, toStream } from "#src/lib/to-stream.ts";
import type { Services } from "#src/services.ts";

/** What is sent of what a log says; nothing for what the client is not told. */
type Translate = (heard: Heard) => string;

/** Who is answered: the caller, and the request they came with. */
export interface Reader {
  caller: Caller;
  request: Request;
}

/**
 * A task's events in a client's own words, to the task's end. The client may go at any time: the task does not notice. `first` is
 * sent before anything else, and then what a message waits for. Whoever has all of a
 * task that is over and comes back by itself gets 204. Whoever may not read the task any more is told so, and nothing else.
 */
export async function streamOf(
  services: Services,
  { caller, request }: Reader,
  task: Parameters<typeof streamTask>[1],
  options: {
    after?: number;
    first?: string;
    waits?: WaitingMessage | undefined;
    translate: Translate;
    headers?: Record<string, string>;
  },
): Promise<Response> {
  const { after = 0, first = "", waits, translate, headers = {} } = options;
  const opened = await streamTask(services, task, after);
  if (opened.status === 204 && isComingBack(request)) return opened;
  const access = new LastingAccess(services, standingOf(caller, readCredentials(request, services.config)), {
    forMs: services.config.SOCKET_CHECK_SECONDS * 1000,
    check: (renewed) => requireTask(services, renewed, task.id, "chat.view"),
  });
  async function* frames() {
    let last = after;
    if (first !== "") yield first;
    try {
      const log = followTask(services, task, after, opened);
      for await (const heard of waits ? withNotices(services.db, waits, log) : log) {
        const newest = heard.kind === "events" ? heard.events.at(-1) : undefined;
        // The end is told also where the task went with its chat.
        if (newest?.type !== "done") await access.hold();
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
 * What `send` makes of a message; where the team has no credits for it, a stream that says so and ends, with `error` and
 * `data.code` (byok-billing-market-deploy.md section 2.2). Every other refusal is a status.
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

/** Frames as a response. */
function eventStream(
  frames: AsyncGenerator<string, void, undefined>,
  headers: Record<string, string> = {},
): Response {
  return new Response(toStream(encoded(frames)), { headers: { ...EVENT_STREAM_HEADERS, ...headers } });
}

async function* only(frame: string): AsyncGenerator<string, void, undefined> {
  yield frame;
}

/** A task that was started this moment, as far as its log needs it. */
export function freshTask({ taskId, chatId }: SentMessage) {
  return { id: taskId, chatId, status: "queued" } as const;
}

/** What a message that was taken this moment waits for, as its stream tells. */
export function waitOf({ taskId, waiting, refused }: SentMessage): WaitingMessage | undefined {
  return waiting ? { taskId, waiting, refused } : undefined;
}

/** Where the frames cannot tell, the headers do. */
export function taskHeaders({ taskId, chatId }: SentMessage): Record<string, string> {
  return { "X-Task-Id": taskId, "X-Chat-Id": chatId };
}
