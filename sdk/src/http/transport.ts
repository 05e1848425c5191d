import { backoff } from "../backoff.ts";
import { onAbort, unlessAborted, type Clock } from "../clock.ts";
import { ConnectionError, TimeoutError, WorkspaceError } from "../errors.ts";
import { fieldsOf, textOf } from "../json.ts";
import type { Fetch, WorkspaceOptions } from "../options.ts";
import { bodyOf, errorOf } from "./answer.ts";
import { encodeBody, type EncodedBody } from "./body.ts";
import { credentialsOf, type Carried, type Credentials } from "./credentials.ts";
import type { RequestOptions } from "./route.ts";
import { addressOf, baseOf } from "./url.ts";

const TIMEOUT_MS = 60_000;
const MAX_RETRIES = 3;
/** Methods that do the same when they are repeated. Source: RFC 9110, section 9.2.2. */
const REPEATABLE: ReadonlySet<string> = new Set(["GET", "HEAD", "PUT", "DELETE"]);
const PASSING: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504]);

export interface Call extends RequestOptions {
  method: string;
  /** The path, with parameters in braces. */
  template: string;
  /** Whether a repetition does no harm, which the method alone does not tell. */
  isRepeatable?: boolean;
  /** How often it is repeated; the client's own number when absent. */
  maxRetries?: number;
  /** Whether the answer is read after the call, so that its signal ends that as well. */
  isStream?: boolean;
}

/** How a client reaches the service. */
export interface Transport {
  readonly base: string;
  readonly credentials: Credentials;
  readonly clock: Clock;
  /** Sends a request and reads its answer. Throws a `WorkspaceError`, or the reason of the signal. */
  send<T>(call: Call, read: (response: Response) => Promise<T>): Promise<T>;
}

/** The start of a method and a path, then options: what resources are made of. */
export function createTransport(options: WorkspaceOptions, clock: Clock): Transport {
  const base = baseOf(options.baseUrl);
  const doFetch: Fetch = options.fetch ?? ((url, init) => fetch(url, init));
  const { timeoutMs = TIMEOUT_MS, maxRetries = MAX_RETRIES } = options;
  const ask = (template: string) => send({ method: "GET", template }, bodyOf);
  const credentials = credentialsOf(options, askCsrf, () => ask("/api/users/me"));

  async function askCsrf(): Promise<string> {
    return textOf(fieldsOf(await ask("/api/auth/csrf"))["csrf_token"]) ?? "";
  }

  /** One attempt: a request and the reading of its answer. */
  async function attempt<T>(
    call: Call,
    { body, headers }: EncodedBody,
    carried: Carried,
    signal: AbortSignal,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const url = addressOf(base, call.template, { ...call.path }, { ...call.query });
    const init = {
      method: call.method,
      headers: {
        ...headers,
        ...carried.headers,
        ...(call.idempotencyKey !== undefined && { "idempotency-key": call.idempotencyKey }),
        ...call.headers,
      },
      signal,
      redirect: "manual" as const,
      ...(body !== undefined && { body }),
      ...(body instanceof ReadableStream && { duplex: "half" as const }),
      ...(credentials.cookies && { credentials: "include" as const }),
    };
    try {
      const response = await doFetch(url, init);
      if (!response.ok && response.status !== 304)
        throw await errorOf(response, clock.now(), credentials.without);
      call.onResponse?.(response);
      return await read(response);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof WorkspaceError) throw error;
      throw new ConnectionError(`${call.method} ${call.template}: the connection failed`, error);
    }
  }

  async function send<T>(call: Call, read: (response: Response) => Promise<T>): Promise<T> {
    const body = encodeBody(call.body, call.headers?.["content-type"]);
    const mayRepeat = !body.isOnce && isRepeatable(call);
    const limit = call.timeoutMs ?? timeoutMs;
    const deadline = clock.now() + limit;
    const control = new AbortController();
    const unfollow = onAbort(call.signal, () => control.abort(call.signal?.reason));
    const timer = new AbortController();
    clock.sleep(limit, timer.signal).then(
      () => control.abort(new TimeoutError(`${call.method} ${call.template}: no answer within ${limit} ms`)),
      () => {},
    );
    const { signal } = control;
    let isRenewed = false;
    let failures = 0;
    try {
      for (;;) {
        // A call that was over before its request needs no credentials.
        signal.throwIfAborted();
        const carried = await unlessAborted(credentials.carried(call.method), signal);
        try {
          const answer = await attempt(call, body, carried, signal, read);
          if (!call.isStream) unfollow();
          return answer;
        } catch (error) {
          if (!(error instanceof WorkspaceError) || signal.aborted) throw error;
          const { status = 0, detail } = error;
          if (!isRenewed && !body.isOnce) {
            isRenewed = await unlessAborted(credentials.renew(carried, status, detail), signal);
            if (isRenewed) continue;
          }
          failures += 1;
          if (!mayRepeat || !isPassing(error) || failures > (call.maxRetries ?? maxRetries)) throw error;
          const delay = waitAfter(error, failures, clock);
          if (clock.now() + delay >= deadline) throw error;
          await clock.sleep(delay, signal);
        }
      }
    } catch (error) {
      unfollow();
      throw error;
    } finally {
      timer.abort();
    }
  }

  return { base, credentials, clock, send };
}

/** Milliseconds before the next attempt: as the service says, otherwise by chance. */
export function waitAfter(error: unknown, failures: number, { random }: Clock): number {
  const seconds = error instanceof WorkspaceError ? error.retryAfterSeconds : undefined;
  return seconds === undefined ? backoff(failures, random) : seconds * 1000;
}

function isRepeatable({ method, idempotencyKey, isRepeatable: isKnown }: Call): boolean {
  return isKnown ?? (idempotencyKey !== undefined || REPEATABLE.has(method));
}

function isPassing(error: WorkspaceError): boolean {
  return error instanceof ConnectionError || PASSING.has(error.status);
}
