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

/** Codes of a 429 that waiting does not solve. Source: https://platform.openai.com/docs/guides/error-codes */
const QUOTA_CODES = /insufficient_quota|billing|quota_exceeded/u;

/** Converts an error response, or an error in a stream that began with 200. */
export function toError(origin: AnswerOrigin, answer: FailedAnswer): ModelError {
  const told = readError(answer.body);
  const isTooLong = !QUOTA_CODES.test(told.codes) && isOverflow(answer.status, told);
  const verdict = isTooLong ? TOO_LONG : toVerdict(answer.status, told.codes);
  return failure(origin, verdict, answer, told.sentence);
}

const TOO_LONG: Verdict = { code: "context_too_long", retryable: false };

function toVerdict(status: number | undefined, codes: string): Verdict {
  if (QUOTA_CODES.test(codes)) return { code: "quota_exhausted", retryable: false };
  if (status !== undefined) return verdictOfStatus(status);
  // Aggregators put the upstream status into `code`.
  const relayed = /\b[45]\d\d\b/u.exec(codes);
  if (relayed) return verdictOfStatus(Number(relayed[0]));
  if (/rate_?limit|resource_exhausted/u.test(codes)) return { code: "rate_limited", retryable: true };
  if (/invalid_(request|argument)/u.test(codes)) return { code: "invalid_request", retryable: false };
  return { code: "overloaded", retryable: true };
}
