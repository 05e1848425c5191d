import { readError } from "../error-body.ts";
import { isOverflow } from "../is-overflow.ts";
import type { ModelError } from "../model.ts";
import {
  failure,
  verdictOfStatus,
  type FailedAnswer,
  type AnswerOrigin,
  type Verdict,
} from "../provider-failure.ts";

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

/** The error is a plain `invalid_request_error`; only the message distinguishes it. */
const CREDIT_SENTENCES = /credit balance is too low/iu;

/** Converts an error response, or an error in a stream that began with 200. */
export function toError(origin: AnswerOrigin, answer: FailedAnswer): ModelError {
  const told = readError(answer.body);
  const type = Object.keys(STATUS_OF_TYPE).find((each) => told.codes.split(" ").includes(each));
  const status = answer.status ?? STATUS_OF_TYPE[type ?? ""] ?? 500;
  const isUnpaid = CREDIT_SENTENCES.test(told.sentence ?? "") || told.codes.includes("spend_limit");
  return failure(
    origin,
    isUnpaid ? UNPAID : toVerdict(isOverflow(status, told), status),
    answer,
    told.sentence,
  );
}

const UNPAID: Verdict = { code: "quota_exhausted", retryable: false };

function toVerdict(isTooLong: boolean, status: number): Verdict {
  return isTooLong ? { code: "context_too_long", retryable: false } : verdictOfStatus(status);
}
