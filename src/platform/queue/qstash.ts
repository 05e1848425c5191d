import { Client, type FlowControl, type PublishRequest } from "@upstash/qstash";
import { AppError } from "#src/lib/errors.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import { withoutSlash } from "#src/lib/without-slash.ts";
import type { Trips } from "#src/platform/trips.ts";
import type { Queue, QueueMessage, QueueSchedule } from "./queue.ts";

/** Time limit of a publish, including its retries. */
const PUBLISH_TIMEOUT_MS = 5_000;
/** Most messages of one request. */
const BATCH = 100;
const RETRIES = 2;
const RETRY_PAUSE_MS = 100;

type Transport = Client["http"];
type TransportRequest = Parameters<Transport["request"]>[0];

/**
 * QStash, or a server with its REST API. Messages go to `{publicUrl}/functions/{name}`, which the queue must be able to
 * reach. A publish that is retried after a lost response may enqueue the message twice.
 */
export function createQueue(options: {
  /** Address of the queue's REST API. */
  url: string;
  token: string;
  publicUrl: string;
  /** Counts publishes and schedules as round trips. */
  trips?: Trips;
  fetch?: typeof fetch;
}): Queue {
  // Created at first use: most requests and steps publish nothing, and creating it costs as much as two statements of theirs.
  let made: Client | undefined;
  const client = () => (made ??= createClient(options));

  const addressOf = (message: { function: string }) =>
    `${withoutSlash(options.publicUrl)}/functions/${message.function}`;

  const toRequest = (message: QueueMessage): PublishRequest<string> & { url: string } => ({
    url: addressOf(message),
    ...contentOf(message),
    ...(message.deduplicationId !== undefined && { deduplicationId: message.deduplicationId }),
    ...startOf(message),
    ...flowOf(message),
  });

  const count = () => {
    if (options.trips) options.trips.publish += 1;
  };

  return {
    publish: async (message) => {
      count();
      await client().publish(toRequest(message));
    },
    publishBatch: async (messages) => {
      for (let from = 0; from < messages.length; from += BATCH) {
        count();
        await client().batch(messages.slice(from, from + BATCH).map(toRequest));
      }
    },
    ensureSchedule: async (schedule) => {
      count();
      await client().schedules.create({
        destination: addressOf(schedule),
        scheduleId: schedule.id,
        cron: schedule.cron,
        ...contentOf(schedule),
      });
    },
    answers: async () => {
      try {
        await client().http.request({ path: ["v2", "dlq?count=1"], method: "GET" });
        return true;
      } catch {
        return false;
      }
    },
  };
}

function createClient(options: { url: string; token: string; fetch?: typeof fetch }): Client {
  const { url: baseUrl, token } = options;
  const client = new Client({ baseUrl, token, devMode: false, enableTelemetry: false });
  // The library builds the requests; its own transport prints failures, has no timeout and accepts no other `fetch`.
  client.http = createTransport(options);
  return client;
}

function contentOf({ payload, retries }: QueueMessage | QueueSchedule) {
  return {
    body: JSON.stringify(payload),
    headers: { "content-type": "application/json" },
    ...(retries !== undefined && { retries }),
  };
}

/**
 * Messages of one kind that are delivered at the same time for one person. Steps take minutes, and the person may have several
 * agents at work; everything else is short.
 */
const STEPS_AT_ONCE = 32;
const OTHERS_AT_ONCE = 6;

function flowOf({ function: name, shareOf }: QueueMessage): { flowControl?: FlowControl } {
  if (shareOf === undefined) return {};
  const parallelism = name === "agent-step" ? STEPS_AT_ONCE : OTHERS_AT_ONCE;
  return { flowControl: { key: `${name}.${shareOf}`, parallelism } };
}

/** The API expects `notBefore` in whole seconds since the epoch. */
function startOf({ notBefore, delaySeconds }: QueueMessage): { notBefore?: number; delay?: number } {
  if (notBefore) return { notBefore: Math.ceil(notBefore.getTime() / 1000) };
  return delaySeconds === undefined ? {} : { delay: Math.ceil(delaySeconds) };
}

function createTransport(options: { url: string; token: string; fetch?: typeof fetch }): Transport {
  const base = withoutSlash(options.url);
  const send = options.fetch ?? fetch;

  /** The answer's JSON. One that breaks off is asked for again: a message that is delivered twice does its work once. */
  const request = async <T>(description: TransportRequest): Promise<T> => {
    const given = description.headers ?? {};
    const headers = new Headers(Symbol.iterator in given ? [...given] : given);
    headers.set("Authorization", `Bearer ${options.token}`);
    using limit = timeLimit(PUBLISH_TIMEOUT_MS);
    const { signal } = limit;
    for (let attempt = 0; ; attempt += 1) {
      const last = attempt === RETRIES;
      try {
        const response = await send([base, ...description.path].join("/"), {
          method: description.method ?? "POST",
          headers,
          body: description.body ?? null,
          signal,
        });
        if (response.ok) return await response.json();
        await response.body?.cancel();
        if (last || !isPassing(response.status)) throw refused(response.status);
      } catch (error) {
        if (error instanceof AppError) throw error;
        if (last || signal.aborted)
          throw new AppError("unavailable", "The queue did not answer", { cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS * (attempt + 1)));
    }
  };

  return {
    request,
    requestStream: () => {
      throw new Error("Publishing does not support streams");
    },
  };
}

function isPassing(status: number): boolean {
  return status === 429 || status >= 500;
}

function refused(status: number): AppError {
  return new AppError("unavailable", "The queue did not accept the work", {
    cause: new Error(`The queue returned ${status}`),
  });
}
