import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { readMessage } from "./message.ts";
import { readSchedule } from "./schedule.ts";
import type { ScheduleStore } from "./schedule-store.ts";
import type { Accepted, QueueStore } from "./store.ts";
import { deadLetterView, messageView, scheduleView } from "./views.ts";

export interface Stores {
  store: QueueStore;
  schedules: ScheduleStore;
  /** How many messages with a flow-control key are under way. */
  underWay: (key: string) => number;
}

export interface ApiRequest {
  method: string;
  /** The path as received, because a destination is part of it and must not be normalised. */
  path: string;
  headers: Headers;
  body: Uint8Array;
}

export interface ApiResponse {
  status: number;
  body: unknown;
}

const Batch = z.array(
  z.object({
    destination: z.string(),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.string().default(""),
  }),
);

const DLQ_PAGE = 100;

/** Serves the part of QStash's REST API that the service uses. Throws `AppError` for refused requests. */
export function answerApi(stores: Stores, request: ApiRequest): ApiResponse {
  const { store, schedules } = stores;
  const { method, headers, body } = request;
  const now = Date.now();
  if (method === "POST" && request.path.startsWith("/v2/publish/")) {
    const destination = request.path.slice("/v2/publish/".length);
    const [accepted] = store.add([readMessage(destination, headers, body, now)], now);
    return { status: accepted?.deduplicated ? 202 : 201, body: accepted && published(accepted) };
  }
  const [path = ""] = request.path.split("?");
  if (path === "/v2/schedules" || path.startsWith("/v2/schedules/")) {
    return answerSchedules(schedules, request, now);
  }
  const below = (prefix: string) => (path.startsWith(prefix) ? path.slice(prefix.length) : undefined);
  if (path === "/v2/batch" && method === "POST") {
    const batch = parseJson(new TextDecoder().decode(body), Batch);
    const messages = batch.map((entry) =>
      readMessage(entry.destination, new Headers(entry.headers), Buffer.from(entry.body), now),
    );
    return { status: 200, body: store.add(messages, now).map(published) };
  }
  const messageId = below("/v2/messages/");
  if (messageId !== undefined && method === "GET") {
    return { status: 200, body: messageView(found(store.find(messageId))) };
  }
  if (messageId !== undefined && method === "DELETE") {
    found(store.cancel(messageId) || undefined);
    return { status: 202, body: { cancelled: 1 } };
  }
  if (path === "/v2/dlq" && method === "GET") {
    return { status: 200, body: { messages: store.deadLetters(DLQ_PAGE).map(deadLetterView) } };
  }
  const dlqId = below("/v2/dlq/");
  if (dlqId !== undefined && method === "GET") {
    return { status: 200, body: deadLetterView(found(store.findDeadLetter(dlqId))) };
  }
  if (dlqId !== undefined && method === "DELETE") {
    found(store.deleteDeadLetter(dlqId) || undefined);
    return { status: 200, body: { deleted: 1 } };
  }
  const flowKey = below("/v2/flowControl/");
  if (flowKey !== undefined && method === "GET") {
    return { status: 200, body: flowView(stores, decodeURIComponent(flowKey), now) };
  }
  throw unknownRoute(request);
}

/** https://upstash.com/docs/qstash/api/schedules/create */
function answerSchedules(schedules: ScheduleStore, request: ApiRequest, now: number): ApiResponse {
  const { method, headers, body } = request;
  const rest = request.path.slice("/v2/schedules/".length);
  if (method === "POST") {
    const schedule = readSchedule(rest, headers, body, now);
    schedules.put(schedule);
    return { status: 200, body: { scheduleId: schedule.id } };
  }
  if (method === "GET" && rest === "") return { status: 200, body: schedules.all().map(scheduleView) };
  if (method === "GET") return { status: 200, body: scheduleView(found(schedules.find(rest), "schedule")) };
  if (method === "DELETE") {
    found(schedules.delete(rest) || undefined, "schedule");
    return { status: 200, body: {} };
  }
  throw unknownRoute(request);
}

/** https://upstash.com/docs/qstash/features/flowcontrol#management-api */
function flowView({ store, underWay }: Stores, key: string, now: number) {
  const { due, parallelism } = store.flow(key, now);
  const running = underWay(key);
  return {
    flowControlKey: key,
    waitListSize: Math.max(0, due - running),
    parallelismMax: parallelism,
    parallelismCount: running,
  };
}

function unknownRoute({ method, path }: ApiRequest): AppError {
  const [withoutQuery = ""] = path.split("?");
  return new AppError(
    "not_found",
    `The local queue has no ${method} ${withoutQuery.split("/", 3).join("/")}`,
  );
}

function found<T>(value: T | undefined, what: "message" | "schedule" = "message"): T {
  if (value === undefined) throw new AppError("not_found", `No such ${what}`);
  return value;
}

function published({ messageId, url, deduplicated }: Accepted) {
  return { messageId, url, ...(deduplicated && { deduplicated }) };
}
