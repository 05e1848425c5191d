import type { ModelError } from "../model.ts";
import {
  failure,
  verdictOfStatus,
  type FailedAnswer,
  type Origin,
  type Verdict,
} from "../provider-failure.ts";
import { ErrorBody } from "./wire.ts";

/**
 * Statuses of error types, for errors inside a stream, which have no status. Source:
 * https://docs.anthropic.com/en/api/errors
 */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** Both errors are a plain `invalid_request_error`; only the message distinguishes them. */
const CONTEXT_SENTENCES = /prompt is too long|exceed(s|ed)? (the )?context/iu;
const CREDIT_SENTENCES = /credit balance is too low/iu;

/** Converts an error response, or an `error` event in a stream that began with 200. */
export function toError(origin: Origin, answer: FailedAnswer): ModelError {
  const { type, message, details } = ErrorBody.safeParse(answer.body).data?.error ?? {};
  const status = answer.status ?? STATUS_OF_TYPE[type ?? ""] ?? 500;
  const verdict = toVerdict(status, message ?? "", details?.error_code ?? "");
  return failure(origin, verdict, answer, message ?? undefined);
}

function toVerdict(status: number, sentence: string, reason: string): Verdict {
  if (CREDIT_SENTENCES.test(sentence) || reason.includes("spend_limit")) {
    return { code: "quota_exhausted", retryable: false };
  }
  if (status === 400 && CONTEXT_SENTENCES.test(sentence))
    return { code: "context_too_long", retryable: false };
  return verdictOfStatus(status);
}
