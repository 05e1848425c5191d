import { readAtMost } from "#src/lib/read-at-most.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import { ForbiddenAddress, OAuthFailure } from "./failure.ts";
import { USER_AGENT } from "#src/lib/user-agent.ts";

interface ProviderRequest {
  method?: string;
  headers: HeadersInit;
  body?: BodyInit | undefined;
  /** Of this request, in place of the provider's. */
  timeoutMs?: number;
  /** Most bytes of the response's body; 1 MiB when absent. */
  maxBytes?: number;
}

/** Sends a request to a provider and reads the whole response. Throws `OAuthFailure`. */
export type ProviderFetch = (url: string, request: ProviderRequest) => Promise<Response>;

const MAX_BYTES = 1024 * 1024;
/** Of the response's headers, those that callers read. */
const KEPT_HEADERS = [
  "content-type",
  "retry-after",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "ratelimit-remaining",
  "ratelimit-reset",
];
/** Only Node's fetch needs it, for a body that is a stream. */
const STREAMED = { duplex: "half" };
/** Statuses with which a `Response` accepts no body. */
const BODILESS: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * `timeoutMs` bounds each request, including its body. Without `allowHttp` an address must be https, even one from the
 * provider's own metadata. Redirects are returned, not followed, so that codes and tokens go nowhere else.
 */
export function createProviderFetch(options: {
  timeoutMs: number;
  allowHttp: boolean;
  fetch?: typeof fetch;
}): ProviderFetch {
  // Called through a closure: as a method of this object, `fetch` would lose its `this` in Workers.
  const send: typeof fetch = (input, init) => (options.fetch ?? fetch)(input, init);
  return async (url, { method = "GET", headers: given, body = null, timeoutMs, maxBytes = MAX_BYTES }) => {
    const { protocol, host } = new URL(url);
    if (protocol !== "https:" && !(options.allowHttp && protocol === "http:")) {
      throw new ForbiddenAddress(`${host} is not an https address`);
    }
    const headers = new Headers(given);
    // GitHub refuses requests that do not name themselves, and a Worker's `fetch` does not.
    headers.set("user-agent", USER_AGENT);
    using limit = timeLimit(timeoutMs ?? options.timeoutMs);
    const { signal } = limit;
    const streamed = body instanceof ReadableStream ? STREAMED : {};
    try {
      const response = await send(url, { method, headers, body, redirect: "manual", signal, ...streamed });
      const whole = await readAtMost(response.body, maxBytes);
      if (whole === undefined) throw new OAuthFailure(`${host} returned more than ${maxBytes} bytes`);
      const kept = KEPT_HEADERS.flatMap((name): [string, string][] => {
        const value = response.headers.get(name);
        return value === null ? [] : [[name, value]];
      });
      return new Response(BODILESS.has(response.status) ? null : whole, {
        status: response.status,
        headers: kept,
      });
    } catch (error) {
      if (error instanceof OAuthFailure) throw error;
      throw new OAuthFailure(`${host} ${signal.aborted ? "did not answer in time" : "could not be reached"}`);
    }
  };
}
