import type { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { ForbiddenAddress, OAuthFailure } from "#src/platform/oauth/failure.ts";
import type { ProviderFetch } from "#src/platform/oauth/provider-fetch.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import type { Budget } from "./budget.ts";
import { HostingFailure } from "./failure.ts";
import type { HostingAccess } from "./hosting.ts";
import { failureOf, refusalOf, type Refusal } from "./refusal.ts";
import { createScrub } from "./scrub.ts";

/** Where a provider, or the stand-in for it, is reached. */
export interface Endpoint {
  label: string;
  /** Without a trailing slash. */
  baseUrl: string;
  fetch: ProviderFetch;
  /** For addresses that the provider names. */
  safeFetch: SafeFetch;
  /** Time limit of a request; a body gets more, by its size. */
  timeoutMs: number;
  budget: Budget;
}

/** Returns the endpoint of a credential. Throws `refused` for a stand-in's where there is none. */
export type EndpointOf = (access: HostingAccess) => Endpoint;

/** A request's body of known size. */
export interface Upload {
  bytes: number;
  body: Uint8Array | ReadableStream<Uint8Array> | FormData;
}

export interface Call {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Appended to the base address. */
  path: string;
  /** Entries without a value are left out. */
  query?: Readonly<Record<string, string | undefined>>;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  json?: unknown;
  upload?: Upload;
  /** Most bytes of the response; 1 MiB when absent. */
  maxBytes?: number;
}

/** For lists. */
export const LIST_BYTES = 4 * 1024 * 1024;

/** Bytes a second below which an upload is given up. */
const SLOWEST_UPLOAD = 128 * 1024;

/** What a refusal means to a call: its outcome, or a failure of its own; undefined for the usual meaning. */
export type Meaning<T> = (refusal: Refusal) => { outcome: T } | HostingFailure | undefined;

/** The calls with one credential. Every failure is a `HostingFailure` without a secret. */
export interface Api {
  /** Sends a call and reads its answer. */
  send<T>(schema: z.ZodType<T>, call: Call, meaning?: Meaning<T>): Promise<T>;
  /** The same; undefined for what is not there. */
  find<T>(schema: z.ZodType<T>, call: Call): Promise<T | undefined>;
  /** Sends a call whose response has nothing to read. Refusals with these statuses are no failure. */
  run(call: Call, settled?: readonly number[]): Promise<void>;
  scrub: (text: string) => string;
}

export function createApi(
  endpoint: Endpoint,
  { headers, secrets }: { headers: Readonly<Record<string, string>>; secrets: readonly string[] },
): Api {
  const { label, baseUrl, fetch, timeoutMs, budget } = endpoint;
  const scrub = createScrub(secrets);

  async function exchange(
    call: Call,
  ): Promise<{ ok: boolean; status: number; text: string; retryAfter: string | null }> {
    budget.take();
    const url = new URL(baseUrl + call.path);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    const sent = bodyOf(call);
    try {
      const response = await fetch(url.href, {
        method: call.method ?? "GET",
        headers: { accept: "application/json", ...headers, ...sent.headers, ...call.headers },
        body: sent.body,
        timeoutMs: timeoutMs + Math.ceil((sent.bytes / SLOWEST_UPLOAD) * 1000),
        ...(call.maxBytes !== undefined && { maxBytes: call.maxBytes }),
      });
      const { ok, status } = response;
      return { ok, status, text: await response.text(), retryAfter: response.headers.get("retry-after") };
    } catch (error) {
      throw unreachable(label, error);
    }
  }

  async function send<T>(schema: z.ZodType<T>, call: Call, meaning?: Meaning<T>): Promise<T> {
    const answer = await exchange(call);
    if (answer.ok) {
      const parsed = safeParseJson(answer.text, schema);
      if (parsed) return parsed.value;
      throw new HostingFailure("unavailable", `${label} does not answer as expected: try again later`);
    }
    const refusal = refusalOf(answer, scrub);
    const meant = meaning?.(refusal);
    if (meant instanceof HostingFailure) throw meant;
    if (meant) return meant.outcome;
    throw failureOf(label, refusal);
  }

  return {
    send,
    find: <T>(schema: z.ZodType<T>, call: Call) =>
      send<T | undefined>(schema, call, ({ status }) =>
        status === 404 ? { outcome: undefined } : undefined,
      ),
    async run(call, settled = []) {
      const answer = await exchange(call);
      if (!answer.ok && !settled.includes(answer.status)) throw failureOf(label, refusalOf(answer, scrub));
    },
    scrub,
  };
}

function bodyOf({ json, upload }: Call): {
  bytes: number;
  headers: Readonly<Record<string, string>>;
  body: Upload["body"] | string | undefined;
} {
  if (json !== undefined) {
    const body = JSON.stringify(json);
    return { bytes: body.length, headers: { "content-type": "application/json" }, body };
  }
  if (!upload) return { bytes: 0, headers: {}, body: undefined };
  return { bytes: upload.bytes, ...sized(upload) };
}

/** A Worker takes the length of a stream from `FixedLengthStream`; Node, which has none, takes it from the header. */
function sized({ bytes, body }: Upload): { headers: Record<string, string>; body: Upload["body"] } {
  if (!(body instanceof ReadableStream)) return { headers: {}, body };
  const fixed =
    typeof FixedLengthStream === "undefined" ? body : body.pipeThrough(new FixedLengthStream(bytes));
  return { headers: { "content-length": String(bytes) }, body: fixed };
}

function unreachable(label: string, error: unknown): HostingFailure {
  const why = error instanceof OAuthFailure || error instanceof AppError ? `: ${error.message}` : "";
  // Another attempt would meet the same address.
  const isFinal = error instanceof ForbiddenAddress || (error instanceof AppError && !error.retryable);
  if (isFinal) return new HostingFailure("refused", `${label} is at an address that is not called${why}`);
  return new HostingFailure("unavailable", `${label} cannot be reached${why}`);
}

/**
 * Calls an address that the provider named, without the credential. One of the provider's own origin is trusted as the
 * provider is; any other must be a public one. The address may be signed, so no failure contains it.
 */
export async function callNamed(
  endpoint: Endpoint,
  address: string,
  request: {
    method: "GET" | "PUT";
    upload?: Upload & { body: ReadableStream<Uint8Array> };
    maxBytes?: number;
  },
): Promise<string> {
  const { label, budget } = endpoint;
  budget.take();
  const { method, upload, maxBytes } = request;
  const timeoutMs = endpoint.timeoutMs + Math.ceil(((upload?.bytes ?? 0) / SLOWEST_UPLOAD) * 1000);
  const sent = upload && sized(upload);
  const own = URL.parse(address)?.origin === new URL(endpoint.baseUrl).origin;
  const limit = maxBytes === undefined ? {} : { maxBytes };
  try {
    const { status, text } = own
      ? await textOf(
          endpoint.fetch(address, {
            method,
            headers: sent?.headers ?? {},
            body: sent?.body,
            timeoutMs,
            ...limit,
          }),
        )
      : await bytesOf(
          endpoint.safeFetch(address, {
            method,
            headers: sent?.headers ?? {},
            ...(sent?.body instanceof ReadableStream && { body: sent.body }),
            timeoutMs,
            maxRedirects: 0,
            ...limit,
          }),
        );
    if (status >= 200 && status < 300) return text;
    if (status >= 300 && status < 400) {
      throw new HostingFailure("refused", `${label}'s storage leads to another address (status ${status})`);
    }
    throw new HostingFailure(
      "unavailable",
      `${label}'s storage does not answer as expected (status ${status})`,
    );
  } catch (error) {
    throw error instanceof HostingFailure ? error : unreachable(`${label}'s storage`, error);
  }
}

async function textOf(answer: Promise<Response>): Promise<{ status: number; text: string }> {
  const response = await answer;
  return { status: response.status, text: await response.text() };
}

async function bytesOf(answer: ReturnType<SafeFetch>): Promise<{ status: number; text: string }> {
  const { status, body } = await answer;
  return { status, text: new TextDecoder().decode(body) };
}

/** Builds a path of names, which may hold any characters. */
export const pathOf = (...names: string[]) => names.map((name) => `/${encodeURIComponent(name)}`).join("");
