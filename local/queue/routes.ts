import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { readMessage, type Message } from "./message.ts";
import type { Accepted, DeadLetter, QueueStore } from "./store.ts";

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
export function answerApi(store: QueueStore, request: ApiRequest): ApiResponse {
  const { method, headers, body } = request;
  const now = Date.now();
  if (method === "POST" && request.path.startsWith("/v2/publish/")) {
    const destination = request.path.slice("/v2/publish/".length);
    const [accepted] = store.add([readMessage(destination, headers, body, now)], now);
    return { status: accepted?.deduplicated ? 202 : 201, body: accepted && published(accepted) };
  }
  const [path = ""] = request.path.split("?");
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
  throw new AppError("not_found", `The local queue has no ${method} ${path.split("/", 3).join("/")}`);
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new AppError("not_found", "No such message");
  return value;
}

function published({ messageId, url, deduplicated }: Accepted) {
  return { messageId, url, ...(deduplicated && { deduplicated }) };
}

function messageView({ id, details, body, retried }: Message) {
  return {
    messageId: id,
    url: details.url,
    method: details.method,
    header: Object.fromEntries(Object.entries(details.headers).map(([name, value]) => [name, [value]])),
    ...text("body", Buffer.from(body)),
    maxRetries: details.retries,
    retried,
    notBefore: details.notBefore,
    createdAt: details.createdAt,
    callback: details.callback?.url,
    failureCallback: details.failureCallback?.url,
  };
}

function deadLetterView(letter: DeadLetter) {
  const { dlqId, answer } = letter;
  return {
    ...messageView(letter),
    dlqId,
    responseStatus: answer.status,
    responseHeader: answer.headers,
    ...text("responseBody", Buffer.from(answer.bodyBase64, "base64")),
  };
}

/** QStash returns a body as text when it is UTF-8, otherwise as base64. */
function text(name: string, bytes: Buffer): Record<string, string> {
  const decoded = bytes.toString("utf8");
  return Buffer.from(decoded, "utf8").equals(bytes)
    ? { [name]: decoded }
    : { [`${name}Base64`]: bytes.toString("base64") };
}
