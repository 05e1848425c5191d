import type { ModelError } from "../model.ts";
import {
  failure,
  verdictOfStatus,
  type FailedAnswer,
  type Origin,
  type Verdict,
} from "../provider-failure.ts";
import { ErrorBody } from "./wire.ts";

/** Codes of a 429 that waiting does not solve. Source: https://platform.openai.com/docs/guides/error-codes */
const QUOTA_CODES = /insufficient_quota|billing|quota_exceeded/u;
/** OpenAI has a code for this error; vLLM, llama.cpp, OpenRouter and others only a message. */
const CONTEXT_CODES = /context_length_exceeded|exceed_context_size/u;
const CONTEXT_SENTENCES = /context (length|window|size)|prompt is too long|too many (input )?tokens/iu;

/** Converts an error response, or an error object in a stream that began with 200. */
export function toError(origin: Origin, answer: FailedAnswer): ModelError {
  const body = typeof answer.body === "string" ? { message: answer.body } : answer.body;
  const { message, type, code } = ErrorBody.safeParse(body).data ?? {};
  return failure(
    origin,
    toVerdict(answer.status, `${code ?? ""} ${type ?? ""}`, message ?? ""),
    answer,
    message ?? undefined,
  );
}

function toVerdict(status: number | undefined, codes: string, sentence: string): Verdict {
  if (QUOTA_CODES.test(codes)) return { code: "quota_exhausted", retryable: false };
  const complaint = status === undefined || status === 400 || status === 413 || status === 422;
  if (CONTEXT_CODES.test(codes) || (complaint && CONTEXT_SENTENCES.test(sentence))) {
    return { code: "context_too_long", retryable: false };
  }
  if (status !== undefined) return verdictOfStatus(status);
  // Aggregators put the upstream status into `code`.
  const relayed = /\b[45]\d\d\b/u.exec(codes);
  if (relayed) return verdictOfStatus(Number(relayed[0]));
  if (/rate_limit/u.test(codes)) return { code: "rate_limited", retryable: true };
  if (/invalid_request/u.test(codes)) return { code: "invalid_request", retryable: false };
  return { code: "overloaded", retryable: true };
}
