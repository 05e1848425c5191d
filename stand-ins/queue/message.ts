import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { parseDuration } from "./duration.ts";

/** Destination of a request and its retries. */
const Delivery = z.object({
  url: z.string(),
  method: z.string(),
  headers: z.record(z.string(), z.string()),
  /** Attempts after the first. */
  retries: z.number(),
  /** Fixed pause between attempts; QStash's backoff when absent. */
  retryDelayMs: z.number().optional(),
  /** Time limit of a response. */
  timeoutMs: z.number(),
  delayMs: z.number(),
});
export type Delivery = z.infer<typeof Delivery>;

/** A message without its moment: the settings that a schedule keeps for each of its messages. */
export const Template = Delivery.extend({
  callback: Delivery.optional(),
  failureCallback: Delivery.optional(),
  /** At most `parallelism` messages with this key are delivered at the same time. */
  flow: z.object({ key: z.string(), parallelism: z.number() }).optional(),
});
export type Template = z.infer<typeof Template>;

/** The fixed part of a published message; stored as JSON beside its body. */
export const Details = Template.extend({
  createdAt: z.number(),
  notBefore: z.number(),
  /** The schedule that published the message. */
  scheduleId: z.string().optional(),
});
export type Details = z.infer<typeof Details>;

export interface Message {
  id: string;
  details: Details;
  body: Uint8Array;
  /** Number of failed attempts so far. */
  retried: number;
}

export interface NewMessage {
  id: string;
  details: Details;
  body: Uint8Array;
  /** Publishes with the same key within the window are one message. */
  deduplicationKey?: string | undefined;
}

const DEFAULT_RETRIES = 3;
const MAX_TIMEOUT_MS = 15 * 60_000;
/** QStash's limit for a message on its smaller plans; the local queue must not accept more. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Parses a publish request. Throws `invalid_input` with the sentence for the publisher. Headers:
 * https://upstash.com/docs/qstash/api/publish
 */
export function readMessage(
  destination: string,
  headers: Headers,
  body: Uint8Array,
  now: number,
): NewMessage {
  const template = readTemplate(destination, headers, body);
  const notBefore = headers.has("upstash-not-before")
    ? wholeNumber(headers, "upstash-not-before", 0) * 1000
    : now + template.delayMs;
  return {
    id: newMessageId(),
    details: { ...template, createdAt: now, notBefore: Math.max(now, notBefore) },
    body,
    deduplicationKey: deduplicationKey(template, headers, body),
  };
}

/** Parses the settings of a message and of its callbacks. Throws as `readMessage`. */
export function readTemplate(destination: string, headers: Headers, body: Uint8Array): Template {
  if (body.byteLength > MAX_BODY_BYTES) throw new AppError("too_large", "A message body may have 1 MiB");
  return {
    ...readDelivery(destination, headers, "upstash-"),
    callback: readCallback(headers, "upstash-callback"),
    failureCallback: readCallback(headers, "upstash-failure-callback"),
    flow: readFlow(headers),
  };
}

export function newMessageId(): string {
  return `msg_${randomUUID().replaceAll("-", "")}`;
}

function readCallback(headers: Headers, name: string): Delivery | undefined {
  const url = headers.get(name);
  return url === null ? undefined : readDelivery(url, headers, `${name}-`);
}

/** Parses the settings of a message (prefix `upstash-`) or of one of its callbacks (prefix `upstash-callback-`). */
function readDelivery(destination: string, headers: Headers, prefix: string): Delivery {
  const retryDelay = headers.get(`${prefix}retry-delay`);
  if (retryDelay !== null && !/^\d+$/u.test(retryDelay)) {
    throw new AppError(
      "invalid_input",
      "The local queue takes a retry delay in milliseconds, not an expression",
    );
  }
  return {
    url: destinationUrl(destination),
    method: (headers.get(`${prefix}method`) ?? "POST").toUpperCase(),
    headers: forwardedHeaders(headers, prefix),
    retries: wholeNumber(headers, `${prefix}retries`, DEFAULT_RETRIES),
    ...(retryDelay === null ? {} : { retryDelayMs: Number(retryDelay) }),
    timeoutMs: Math.min(duration(headers, `${prefix}timeout`, MAX_TIMEOUT_MS), MAX_TIMEOUT_MS),
    delayMs: duration(headers, `${prefix}delay`, 0),
  };
}

/**
 * Parses `Upstash-Flow-Control-Key` and `-Value`: https://upstash.com/docs/qstash/features/flowcontrol. The service limits no
 * rate, so a rate is refused.
 */
function readFlow(headers: Headers): Template["flow"] {
  const key = headers.get("upstash-flow-control-key");
  if (key === null) return undefined;
  const value = headers.get("upstash-flow-control-value") ?? "";
  const [, parallelism] = /^parallelism=([1-9]\d{0,8})$/u.exec(value.trim()) ?? [];
  if (parallelism === undefined)
    throw new AppError("invalid_input", "The local queue takes flow control as parallelism=<number> alone");
  return { key, parallelism: Number(parallelism) };
}

/** Destinations are raw (`/v2/publish/https://host/path`) or percent-encoded. */
function destinationUrl(text: string): string {
  const url = /^https?:\/\//iu.test(text) ? text : decodeDestination(text);
  if (!/^https?:\/\//iu.test(url) || !URL.canParse(url)) {
    throw new AppError("invalid_input", "The destination must be an http:// or https:// address");
  }
  return url;
}

function decodeDestination(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function forwardedHeaders(headers: Headers, prefix: string): Record<string, string> {
  const forwarded: Record<string, string> = {};
  const contentType = headers.get("content-type");
  if (prefix === "upstash-" && contentType !== null) forwarded["content-type"] = contentType;
  for (const [name, value] of headers) {
    if (name.startsWith(`${prefix}forward-`))
      forwarded[name.slice(prefix.length + "forward-".length)] = value;
  }
  return forwarded;
}

function wholeNumber(headers: Headers, name: string, fallback: number): number {
  const text = headers.get(name);
  if (text === null) return fallback;
  if (!/^\d{1,12}$/u.test(text)) throw new AppError("invalid_input", `${name} must be a whole number`);
  return Number(text);
}

function duration(headers: Headers, name: string, fallback: number): number {
  const text = headers.get(name);
  if (text === null) return fallback;
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined)
    throw new AppError("invalid_input", `${name} must be a duration such as 10s`);
  return milliseconds;
}

function deduplicationKey(delivery: Delivery, headers: Headers, body: Uint8Array): string | undefined {
  const id = headers.get("upstash-deduplication-id");
  if (id !== null) return `id:${id}`;
  if (headers.get("upstash-content-based-deduplication") !== "true") return undefined;
  const forwarded = Object.entries(delivery.headers).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash("sha256")
    .update(JSON.stringify([delivery.url, forwarded]))
    .update(body);
  return `content:${hash.digest("hex")}`;
}
