/** What an error of the service says, beside its sentence. */
export interface ErrorDetails {
  /** The HTTP status; `undefined` where there was no answer of the service. */
  status?: number | undefined;
  /** A word for programs, as the service gives it, otherwise the word of the class. */
  code?: string | undefined;
  /** The service's id of the request, for its operators. */
  requestId?: string | undefined;
  /** Seconds after which the same request may succeed. */
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

/**
 * Every error of this client. There is a class for each status, so that `instanceof` tells them apart. Neither an API key
 * nor a token is in its message, its fields or its JSON.
 *
 * @example
 * try {
 *   await workspace.tasks.invoke({ project_id, message });
 * } catch (error) {
 *   if (error instanceof RateLimitError) console.error(`Again in ${error.retryAfterSeconds} s`);
 *   else throw error;
 * }
 */
export class WorkspaceError extends Error {
  override readonly name: string = "WorkspaceError";
  /** The HTTP status; `undefined` where there was no answer of the service. */
  declare readonly status: number | undefined;
  /** What went wrong, in a sentence. */
  declare readonly detail: string;
  /** A word for programs: the service's own, otherwise that of the class, such as `not_found`. */
  declare readonly code: string;
  /** The service's id of the request. */
  declare readonly requestId: string | undefined;
  /** Seconds after which the same request may succeed, as the service says. */
  declare readonly retryAfterSeconds: number | undefined;

  constructor(detail: string, details: ErrorDetails = {}) {
    super(detail, details.cause === undefined ? undefined : { cause: details.cause });
    this.status = details.status;
    this.detail = detail;
    this.code = details.code ?? "error";
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** 400: the input is not valid. */
export class BadRequestError extends WorkspaceError {
  override readonly name = "BadRequestError";
}

/** 401: no valid credentials. */
export class UnauthorizedError extends WorkspaceError {
  override readonly name = "UnauthorizedError";
}

/** 402: the team has no credits left, or no place in its tier. */
export class PaymentRequiredError extends WorkspaceError {
  override readonly name = "PaymentRequiredError";
}

/** 403: the credentials do not permit this. */
export class ForbiddenError extends WorkspaceError {
  override readonly name = "ForbiddenError";
}

/** 404: there is no such thing, or the caller does not see it. Events of a task are forgotten 30 days after its end. */
export class NotFoundError extends WorkspaceError {
  override readonly name = "NotFoundError";
}

/** 409: it conflicts with the current state. */
export class ConflictError extends WorkspaceError {
  override readonly name = "ConflictError";
}

/** 410: no longer available. */
export class GoneError extends WorkspaceError {
  override readonly name = "GoneError";
}

/** 412: the file is not the version that `If-Match` names, or is there although `If-None-Match` says it must not be. */
export class PreconditionFailedError extends WorkspaceError {
  override readonly name = "PreconditionFailedError";
}

/** 413: the body is too large. */
export class TooLargeError extends WorkspaceError {
  override readonly name = "TooLargeError";
}

/** 422: the body does not have the fields that it needs. */
export class ValidationError extends WorkspaceError {
  override readonly name = "ValidationError";
}

/** 429: a limit is reached; `retryAfterSeconds` says when to try again. */
export class RateLimitError extends WorkspaceError {
  override readonly name = "RateLimitError";
}

/** 500 and above: the service failed, or what it depends on. */
export class ServerError extends WorkspaceError {
  override readonly name = "ServerError";
}

/** The service could not be reached, the connection broke, or the answer is not the service's. */
export class ConnectionError extends WorkspaceError {
  override readonly name = "ConnectionError";

  constructor(detail: string, cause?: unknown) {
    super(detail, { code: "unreachable", cause });
  }
}

/** The time for a call, all its attempts included, is over. */
export class TimeoutError extends WorkspaceError {
  override readonly name = "TimeoutError";

  constructor(detail: string) {
    super(detail, { code: "timeout" });
  }
}

const CLASSES: Readonly<Record<number, readonly [typeof WorkspaceError, code: string]>> = {
  400: [BadRequestError, "invalid_input"],
  401: [UnauthorizedError, "unauthenticated"],
  402: [PaymentRequiredError, "insufficient_credits"],
  403: [ForbiddenError, "forbidden"],
  404: [NotFoundError, "not_found"],
  409: [ConflictError, "conflict"],
  410: [GoneError, "gone"],
  412: [PreconditionFailedError, "precondition_failed"],
  413: [TooLargeError, "too_large"],
  422: [ValidationError, "invalid_body"],
  429: [RateLimitError, "rate_limited"],
  500: [ServerError, "internal"],
  503: [ServerError, "unavailable"],
};

/** The error of a status. */
export function errorOfStatus(
  status: number,
  detail: string,
  details: Omit<ErrorDetails, "status">,
): WorkspaceError {
  const [Class, code] =
    CLASSES[status] ?? (status >= 500 ? [ServerError, "server_error"] : [WorkspaceError, "error"]);
  return new Class(detail, { ...details, status, code: details.code ?? code });
}

/** The error of one of the service's codes, for what comes without a status. */
export function errorOfCode(code: string, detail: string, retryAfterSeconds?: number): WorkspaceError {
  const found = Object.entries(CLASSES).find(([, [, known]]) => known === code);
  const details = { code, retryAfterSeconds };
  return found ? errorOfStatus(Number(found[0]), detail, details) : new WorkspaceError(detail, details);
}
