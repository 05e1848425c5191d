import { AppError, type ErrorCode } from "#src/lib/errors.ts";
import { ModelError, type ModelErrorCode } from "#src/models/model.ts";

const MS = 1000;

const CODES: Readonly<Record<ModelErrorCode, ErrorCode>> = {
  invalid_request: "invalid_input",
  context_too_long: "invalid_input",
  unauthorized: "provider_failed",
  forbidden: "provider_failed",
  quota_exhausted: "provider_failed",
  insufficient_credits: "insufficient_credits",
  rate_limited: "rate_limited",
  overloaded: "provider_failed",
  stalled: "provider_failed",
  connection: "provider_failed",
  bad_response: "provider_failed",
};

/** Errors that callers can correct if the key and the account are their own. */
const OF_OWN_KEYS: ReadonlySet<ModelErrorCode> = new Set(["unauthorized", "forbidden", "quota_exhausted"]);

/** Converts a failed model call for the proxy's caller. Other errors are returned unchanged. */
export function toFailure(error: unknown, { isByok }: { isByok: boolean }): unknown {
  if (!(error instanceof ModelError)) return error;
  const { code, message, retryAfterMs } = error;
  const told = isByok && OF_OWN_KEYS.has(code) ? "invalid_input" : CODES[code];
  const seconds = Math.ceil((retryAfterMs ?? MS) / MS);
  return new AppError(told, message, {
    cause: error,
    retryAfterSeconds: told === "rate_limited" ? seconds : undefined,
  });
}
