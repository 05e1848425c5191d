/** Every failure the service names. A code without a status does not compile. */
export type ErrorCode =
  | "invalid_input"
  | "invalid_body"
  | "unauthenticated"
  | "insufficient_credits"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "gone"
  | "too_large"
  | "rate_limited"
  | "unavailable"
  | "not_ready"
  | "asleep"
  | "provider_failed"
  | "internal";

export const STATUS = {
  invalid_input: 400,
  unauthenticated: 401,
  insufficient_credits: 402,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  too_large: 413,
  invalid_body: 422,
  rate_limited: 429,
  internal: 500,
  /** A provider that was asked on the caller's behalf failed, or sent nonsense. */
  provider_failed: 502,
  unavailable: 503,
  not_ready: 503,
  /** The project's files are in a snapshot: wake it and try again. */
  asleep: 503,
} as const satisfies Record<ErrorCode, number>;

/** Failures that may pass when the same work is tried again; queue functions retry these and dead-letter the rest. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  "rate_limited",
  "internal",
  "provider_failed",
  "unavailable",
  "not_ready",
  "asleep",
]);

/**
 * A failure with a name and a sentence for the caller. The message becomes the answer's `detail`, so it must hold
 * nothing secret; what only the log may see goes into `cause`.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  /** Seconds after which the same request may succeed: `Retry-After` over HTTP, `retry_after_seconds` on sockets. */
  readonly retryAfterSeconds: number | undefined;
  /** Further headers of the response, such as `Set-Cookie`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Fields that stand beside `detail` for clients that tell failures apart by them. */
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
