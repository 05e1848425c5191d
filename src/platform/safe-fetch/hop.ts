/** One request without redirects, as both transports send it: direct and through the egress server. */
export interface Hop {
  url: string;
  method: string;
  headers: Headers;
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
  maxBytes: number;
  /** What is left of the total time. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** The response of one hop; its body is not read yet. */
export interface HopAnswer {
  status: number;
  headers: Headers;
  body: ReadableStream<Uint8Array> | null;
}

/** Throws `AppError` when the address is refused, any other error when it cannot be reached. */
export type TakeHop = (hop: Hop) => Promise<HopAnswer>;

/** What Node's fetch needs beside a body that is a stream. */
export function sending(body: Hop["body"]) {
  return body instanceof ReadableStream ? { body, duplex: "half" } : { body };
}

/** The only headers that are sent to another origin: all others may be meant for the first origin alone. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-language",
  "content-type",
  "user-agent",
]);
const BODY_HEADERS = ["content-type", "content-length", "content-encoding", "content-language"];

/**
 * Returns the request that follows a redirect, as browsers make it; `undefined` when the response is not a redirect.
 */
export function redirected(
  hop: Hop,
  answer: HopAnswer,
): Pick<Hop, "url" | "method" | "headers" | "body"> | undefined {
  const location = answer.headers.get("location");
  if (![301, 302, 303, 307, 308].includes(answer.status) || location === null) return undefined;
  const target = URL.parse(location, hop.url);
  if (!target) return undefined;
  const sameOrigin = target.origin === new URL(hop.url).origin;
  const headers = new Headers([...hop.headers].filter(([name]) => sameOrigin || HARMLESS_HEADERS.has(name)));
  const becomesGet =
    answer.status === 303 ? hop.method !== "HEAD" : hop.method === "POST" && answer.status <= 302;
  if (!becomesGet && hop.body instanceof ReadableStream) return undefined;
  if (becomesGet) for (const name of BODY_HEADERS) headers.delete(name);
  return {
    url: target.href,
    method: becomesGet ? "GET" : hop.method,
    headers,
    body: becomesGet ? null : hop.body,
  };
}
