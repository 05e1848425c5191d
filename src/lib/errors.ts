/** The codes of all errors. A code without a status does not compile. */
export type ErrorCode =
  | "invalid_input"
  | "invalid_body"
  | "unauthenticated"
  | "insufficient_credits"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "gone"
  | "precondition_failed"
  | "too_large"
  | "rate_limited"
  | "unavailable"
  | "not_ready"
  | "asleep"
  | "provider_failed"
  | "not_configured"
  | "internal";

export const STATUS = {
  invalid_input: 400,
  unauthenticated: 401,
  insufficient_credits: 402,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  /** A header such as `If-Match` does not hold. */
  precondition_failed: 412,
  too_large: 413,
  invalid_body: 422,
  rate_limited: 429,
  internal: 500,
  /** The installation lacks what this needs, such as an OAuth app. */
  not_configured: 501,
  /** A provider that was called on the caller's behalf failed or returned invalid data. */
  provider_failed: 502,
  unavailable: 503,
  not_ready: 503,
  /** The project's files are in a snapshot: wake the project and try again. */
  asleep: 503,
} as const satisfies Record<ErrorCode, number>;

/** Errors that may not recur in a retry. Queue functions retry these and dead-letter the others. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  "rate_limited",
  "internal",
  "provider_failed",
  "unavailable",
  "not_ready",
  "asleep",
]);

/**
 * An error with a code and a sentence for the caller. The message becomes the response's `detail`, so it must contain
 * no secret; `cause` is only logged.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  /** Seconds after which the same request may succeed: `Retry-After` over HTTP, `retry_after_seconds` on sockets. */
  readonly retryAfterSeconds: number | undefined;
  /** Further headers of the response, such as `Set-Cookie`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Further fields beside `detail`, by which clients distinguish failures. */
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      cause?: unknown;
      retryAfterSeconds?: number | undefined;
      headers?: Readonly<Record<string, string>>;
      extra?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
    this.extra = options.extra ?? {};
  }

  get status(): (typeof STATUS)[ErrorCode] {
    return STATUS[this.code];
  }

  get retryable(): boolean {
    return RETRYABLE.has(this.code);
  }
}
