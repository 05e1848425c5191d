import type http from "node:http";
import { text } from "node:stream/consumers";
import { sameText } from "#local/same-text.ts";
import { delayed, type Fault, type Faults, sendGarbage } from "#stand-ins/shared/faults.ts";
import { ApiError } from "./api-error.ts";
import type { Books } from "./books.ts";
import { runCall } from "./calls.ts";
import { API_VERSION } from "./events.ts";
import { decodeForm } from "./form.ts";
import type { IdempotencyKeys, KeyedCall, Outcome } from "./idempotency.ts";
import { newId } from "./store.ts";

const MAX_BODY_BYTES = 1024 * 1024;

export interface ApiParts {
  books: Books;
  keys: IdempotencyKeys;
  faults: Faults;
  secretKey: string;
}

interface Request {
  method: string;
  /** Below `/v1/`. */
  path: string;
  parameters: string;
  key: string | undefined;
}

/** Serves what lies below `/v1/`. https://docs.stripe.com/api */
export async function serveApi(
  parts: ApiParts,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  url: URL,
): Promise<void> {
  const left = new AbortController();
  response.once("close", () => left.abort());
  const method = request.method ?? "GET";
  const path = url.pathname.slice("/v1/".length);
  const fault = parts.faults.next(`${method} ${path}`);
  if (fault?.garbage === true) {
    await delayed(fault, left.signal);
    sendGarbage(response);
    return;
  }
  const answer = await answerTo(parts, request, { method, path, url, fault, signal: left.signal });
  if (fault?.lost === true) {
    response.destroy();
    return;
  }
  response
    .writeHead(answer.status, {
      "content-type": "application/json",
      "request-id": newId("req_"),
      "stripe-version": API_VERSION,
      ...(fault?.retry_after !== undefined && { "retry-after": String(fault.retry_after) }),
      ...answer.headers,
    })
    .end(answer.body);
}

interface Answer extends Outcome {
  headers: Record<string, string>;
}

async function answerTo(
  parts: ApiParts,
  request: http.IncomingMessage,
  {
    method,
    path,
    url,
    fault,
    signal,
  }: { method: string; path: string; url: URL; fault: Fault | undefined; signal: AbortSignal },
): Promise<Answer> {
  try {
    checkKey(parts, request);
    const body = await readBody(request);
    const header = request.headers["idempotency-key"];
    const key = method === "POST" && typeof header === "string" ? header : undefined;
    const parameters = body === "" ? url.search.slice(1) : body;
    const made: Request = { method, path, parameters, key };
    const named: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
    const { headers, ...outcome } = await once(parts, made, fault, signal);
    return { ...outcome, headers: { ...named, ...headers } };
  } catch (error) {
    return { ...failure(error), headers: {} };
  }
}

function checkKey({ secretKey }: ApiParts, { headers }: http.IncomingMessage): void {
  const given = /^Bearer (.+)$/u.exec(headers.authorization ?? "")?.[1];
  if (given !== undefined && sameText(given, secretKey)) return;
  const message =
    given === undefined
      ? "You did not provide an API key."
      : `Invalid API Key provided: ${given.slice(0, 8)}${"*".repeat(8)}`;
  throw new ApiError(401, { type: "invalid_request_error", message }, { hasBegun: false });
}

async function readBody(request: http.IncomingMessage): Promise<string> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) {
    throw new ApiError(413, { type: "invalid_request_error", message: "The request is too large" });
  }
  return text(request);
}

/** Repeats the outcome of an earlier call with the same key, or does the call. A caller who leaves does not stop it. */
async function once(
  parts: ApiParts,
  request: Request,
  fault: Fault | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const { key } = request;
  if (key === undefined) {
    if (fault) await delayed(fault, signal);
    return { ...perform(parts, request, undefined, fault), headers: {} };
  }
  const call: KeyedCall = { key, method: request.method, path: request.path, body: request.parameters };
  return parts.keys.alone(call, async () => {
    if (fault) await delayed(fault, signal);
    const earlier = parts.keys.find(call, parts.books.clock());
    if (!earlier) return { ...perform(parts, request, call, fault), headers: {} };
    const headers: Record<string, string> = { "idempotent-replayed": "true" };
    // A repeated failure is as final as the first: Stripe says so to the SDK.
    if (earlier.status >= 500) headers["stripe-should-retry"] = "false";
    return { ...earlier, headers };
  });
}

/** The effect of a call and what is kept under its key are stored together, or neither. */
function perform(
  { books, keys }: ApiParts,
  { method, path, parameters }: Request,
  call: KeyedCall | undefined,
  fault: Fault | undefined,
): Outcome {
  const run = () => runCall(books, method, path, decodeForm(parameters));
  const keep = (outcome: Outcome) => {
    if (call && isKept(outcome.status)) keys.keep(call, outcome, books.clock());
    return outcome;
  };
  try {
    return books.store.transaction(() => {
      if (fault?.status === undefined)
        return keep({ status: 200, body: JSON.stringify(run(), undefined, 2) });
      if (fault.effect) run();
      return keep(failure(faultOf(fault.status)));
    });
  } catch (error) {
    const outcome = failure(error);
    return error instanceof ApiError && error.hasBegun ? keep(outcome) : outcome;
  }
}

/** Limits, conflicts and wrong keys say nothing about the call itself; 503 is that of a call that was not taken. */
function isKept(status: number): boolean {
  return ![401, 409, 413, 429, 503].includes(status);
}

function faultOf(status: number): ApiError {
  if (status === 429) {
    return new ApiError(status, {
      type: "invalid_request_error",
      code: "rate_limit",
      message: "Request rate limit exceeded.",
    });
  }
  return new ApiError(status, {
    type: "api_error",
    message: "Sorry! There was an error while talking to us.",
  });
}

function failure(error: unknown): Outcome {
  if (error instanceof ApiError) {
    return { status: error.status, body: JSON.stringify({ error: error.body }, undefined, 2) };
  }
  const body = { error: { type: "api_error", message: `The stand-in failed: ${String(error)}` } };
  return { status: 500, body: JSON.stringify(body, undefined, 2) };
}
