import { parseDuration } from "./duration.ts";
import { newMessageId, type Delivery, type Message, type NewMessage } from "./message.ts";
import type { Answer } from "./store.ts";

/** The consequence of a response for its message. */
export type Verdict =
  | { kind: "done" }
  /** Try again at `dueAt`, in milliseconds since the epoch. */
  | { kind: "again"; dueAt: number }
  | { kind: "dead" };

const DAY_MS = 24 * 3_600_000;

/**
 * The wait headers of https://upstash.com/docs/qstash/features/retry: in milliseconds or seconds from now, or a date.
 */
const WAIT_HEADERS = [
  "retry-after",
  "x-ratelimit-reset",
  "x-ratelimit-reset-requests",
  "x-ratelimit-reset-tokens",
];

/**
 * QStash's rules: 2xx is done; 489 with `Upstash-NonRetryable-Error: true` is final; any other response is retried
 * until the retries are used up. A wait that the destination requests replaces the backoff, but the attempt counts all
 * the same.
 */
export function judge(message: Message, answer: Answer, now: number): Verdict {
  if (answer.status >= 200 && answer.status < 300) return { kind: "done" };
  const final = answer.status === 489 && answer.headers["upstash-nonretryable-error"]?.[0] === "true";
  if (final || message.retried >= message.details.retries) return { kind: "dead" };
  const wait = askedWait(answer, now) ?? message.details.retryDelayMs ?? backoff(message.retried + 1);
  return { kind: "again", dueAt: now + wait };
}

/** 12 s, 2.5 min, 30 min, 6 h, then daily. */
function backoff(attempt: number): number {
  return Math.min(DAY_MS, Math.exp(2.5 * attempt) * 1000);
}

function askedWait(answer: Answer, now: number): number | undefined {
  for (const name of WAIT_HEADERS) {
    const text = answer.headers[name]?.[0];
    if (text === undefined) continue;
    const wait = readWait(text, now);
    if (wait !== undefined && wait <= DAY_MS) return Math.max(0, wait);
  }
  return undefined;
}

function readWait(text: string, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/u.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return parseDuration(text) ?? (Number.isNaN(date) ? undefined : date - now);
}

/**
 * Builds the message to a callback address: the response and the message that caused it.
 * https://upstash.com/docs/qstash/features/callbacks
 */
export function callbackMessage(
  target: Delivery,
  source: Message,
  answer: Answer,
  now: number,
  dlqId?: string,
): NewMessage {
  const { details } = source;
  const body = {
    status: answer.status,
    header: answer.headers,
    body: answer.bodyBase64,
    retried: source.retried,
    maxRetries: details.retries,
    sourceMessageId: source.id,
    url: details.url,
    method: details.method,
    sourceHeader: Object.fromEntries(Object.entries(details.headers).map(([name, value]) => [name, [value]])),
    sourceBody: Buffer.from(source.body).toString("base64"),
    notBefore: details.notBefore,
    createdAt: details.createdAt,
    ...(dlqId === undefined ? {} : { dlqId }),
  };
  return {
    id: newMessageId(),
    details: {
      ...target,
      headers: { "content-type": "application/json", ...target.headers },
      createdAt: now,
      notBefore: now + target.delayMs,
    },
    body: Buffer.from(JSON.stringify(body)),
  };
}
