import type { z } from "zod";
import { oneLine, cut } from "#src/lib/one-line.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { readAtMost } from "#src/lib/read-at-most.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import { USER_AGENT } from "#src/lib/user-agent.ts";
import { PlatformFailure } from "./platform-failure.ts";

const TIMEOUT_MS = 10_000;
const FILE_TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_QUOTED = 200;

/** One HTTP call at a platform. The address may hold a token. */
export interface PlatformCall {
  fetch: typeof fetch;
  /** The platform's name, for sentences. */
  label: string;
  url: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Readonly<Record<string, string>>;
  body?: string | FormData | Uint8Array<ArrayBuffer>;
  /** Whether a second call has another effect, as a second text does. A lost answer is then `mayHaveHappened`. */
  isSend?: boolean;
  /** 10 s unless given; it includes the answer's body. */
  timeoutMs?: number;
  /** Most bytes of the answer; 1 MiB unless given. */
  maxBytes?: number;
  /** Ends the call early. */
  signal?: AbortSignal;
}

/** What the platform returned, whatever the status. */
export interface PlatformAnswer {
  status: number;
  headers: Headers;
  bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Makes a call and reads its answer. Redirects are returned, not followed, so that credentials go nowhere
 * else. Throws `PlatformFailure` when no answer came. It has no cause, because errors of the network quote addresses.
 */
export async function callPlatform(call: PlatformCall): Promise<PlatformAnswer> {
  return request(call, call.maxBytes ?? MAX_ANSWER_BYTES, () => unreachable(call, "returned too much"));
}

/** As `callPlatform`, for a file of at most `maxBytes`: a larger one is `refused`. It may take a minute. */
export async function callForFile(call: PlatformCall, maxBytes: number): Promise<PlatformAnswer> {
  return request({ timeoutMs: FILE_TIMEOUT_MS, ...call }, maxBytes, () => fileTooLarge(maxBytes));
}

async function request(
  call: PlatformCall,
  maxBytes: number,
  tooLarge: () => PlatformFailure,
): Promise<PlatformAnswer> {
  const { fetch: send, url, method, headers, body, timeoutMs = TIMEOUT_MS } = call;
  using limit = timeLimit(timeoutMs, call.signal);
  try {
    const response = await send(url, {
      method,
      headers: { "user-agent": USER_AGENT, ...headers },
      ...(body !== undefined && { body }),
      redirect: "manual",
      signal: limit.signal,
    });
    const bytes = await bodyOf(response, maxBytes);
    if (bytes === undefined) throw tooLarge();
    return { status: response.status, headers: response.headers, bytes };
  } catch (error) {
    if (error instanceof PlatformFailure) throw error;
    throw unreachable(call, limit.signal.aborted ? "did not answer in time" : "could not be reached");
  }
}

/** The body, or undefined when it is larger; the rest of it is then not read. */
async function bodyOf(
  { headers, body }: Response,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (Number(headers.get("content-length") ?? 0) <= maxBytes) return readAtMost(body, maxBytes);
  await body?.cancel();
  return undefined;
}

/** The answer's JSON, or undefined when it is none or another. */
export function answerJson<T>({ bytes }: PlatformAnswer, schema: z.ZodType<T>): T | undefined {
  return safeParseJson(new TextDecoder().decode(bytes), schema)?.value;
}

/** The failure of a call whose answer is lost or useless; `what` continues the platform's name. */
export function unreachable({ label, isSend = false }: PlatformCall, what: string): PlatformFailure {
  return new PlatformFailure("unreachable", `${label} ${what}.`, { mayHaveHappened: isSend });
}

/** The failure of a call that came too early. Without a number the domain decides when it is made again. */
export function busy({ label }: Pick<PlatformCall, "label">, retryAfterSeconds?: number): PlatformFailure {
  const known = retryAfterSeconds !== undefined && Number.isFinite(retryAfterSeconds);
  return new PlatformFailure("busy", `${label} accepts no more calls for now.`, {
    ...(known && { retryAfterSeconds: Math.max(0, retryAfterSeconds) }),
  });
}

/** Seconds of a `Retry-After` header; undefined for a date, which these platforms do not send. */
export function retryAfterOf({ headers }: PlatformAnswer): number | undefined {
  const seconds = headers.get("retry-after")?.trim();
  return seconds !== undefined && /^\d{1,9}(\.\d+)?$/u.test(seconds) ? Number(seconds) : undefined;
}

/** The failure of a file that is larger than it may be. */
export function fileTooLarge(maxBytes: number): PlatformFailure {
  return new PlatformFailure("refused", `The file is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB.`);
}

/** What a platform says about a refusal: one short line without the secrets of the call. */
export function quoted(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) if (secret !== "") clean = clean.replaceAll(secret, "…");
  return cut(oneLine(clean), MAX_QUOTED);
}
