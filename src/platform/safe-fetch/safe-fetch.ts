/** A request to an address that a user supplied. */
export interface SafeFetchOptions {
  /** `GET` when absent. */
  method?: string;
  headers?: Readonly<Record<string, string>>;
  /** A stream is sent once: with it no redirect is followed that repeats the body. */
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  /** Most bytes read of the response's body; 1 MiB when absent. */
  maxBytes?: number;
  /** Total time, including redirects and body; 10 s when absent. */
  timeoutMs?: number;
  /** Most redirects followed; the next one is returned as the response. 5 when absent. */
  maxRedirects?: number;
}

export interface SafeFetchAnswer {
  status: number;
  headers: Headers;
  body: Uint8Array;
  /** The final address, after redirects. */
  url: string;
  /** The body was longer than `maxBytes` and is cut. */
  truncated: boolean;
}

/**
 * Fetches an address that a user supplied without being led into a private network: every address and every redirect is
 * checked. Any status returns a response. Throws `invalid_input` when the address is refused (final) and `unavailable`
 * when it could not be reached, did not respond in time or broke off (temporary).
 */
export type SafeFetch = (url: string, options?: SafeFetchOptions) => Promise<SafeFetchAnswer>;
