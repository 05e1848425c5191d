/** Every failure the service names. A code without a status does not compile. */
export type ErrorCode =
  | "invalid_input"
  | "invalid_body"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "gone"
  | "too_large"
  | "rate_limited"
  | "unavailable"
  | "not_ready"
  | "asleep"
  | "internal";

export const STATUS = {
  invalid_input: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  too_large: 413,
  invalid_body: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
  not_ready: 503,
  /** The project's files are in a snapshot: wake it and try again. */
  asleep: 503,
} as const satisfies Record<ErrorCode, number>;

/** Failures that may pass when the same work is tried again; queue functions retry these and dead-letter the rest. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  "rate_limited",
  "internal",
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
  /** Headers that belong to the answer, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.headers = options.headers ?? {};
  }

  get status(): (typeof STATUS)[ErrorCode] {
    return STATUS[this.code];
  }

  get retryable(): boolean {
    return RETRYABLE.has(this.code);
  }
}
