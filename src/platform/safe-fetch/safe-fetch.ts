/** A request to an address that a user supplied. */
export interface SafeFetchOptions {
  /** `GET` when absent. */
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array<ArrayBuffer>;
  /** More of the answer's body than this is not read; 1 MiB when absent. */
  maxBytes?: number;
  /** For everything together, redirects and body included; 10 s when absent. */
  timeoutMs?: number;
  /** Redirects that are followed; the next one is returned as the answer. 5 when absent. */
  maxRedirects?: number;
}

export interface SafeFetchAnswer {
  status: number;
  headers: Headers;
  body: Uint8Array;
  /** Where the answer came from, after redirects. */
  url: string;
  /** The body was longer than `maxBytes` and is cut. */
  truncated: boolean;
}

/**
 * Fetch an address that a user supplied without being led into a private network: every address and every redirect is
 * checked. Any status is an answer. Throws `invalid_input` when the address is refused (final) and `unavailable` when it
 * could not be reached, did not answer in time or broke off (may pass).
 */
export type SafeFetch = (url: string, options?: SafeFetchOptions) => Promise<SafeFetchAnswer>;
