import type { ModelError } from "../model.ts";
import {
  failure,
  verdictOfStatus,
  type FailedAnswer,
  type Origin,
  type Verdict,
} from "../provider-failure.ts";
import { ErrorBody } from "./wire.ts";

/** A 429 that no waiting cures. Source: https://platform.openai.com/docs/guides/error-codes */
const QUOTA_CODES = /insufficient_quota|billing|quota_exceeded/u;
/** OpenAI has a code for it; vLLM, llama.cpp, OpenRouter and others only a sentence. */
const CONTEXT_CODES = /context_length_exceeded|exceed_context_size/u;
const CONTEXT_SENTENCES = /context (length|window|size)|prompt is too long|too many (input )?tokens/iu;

/** The failure of an answer with an error status, or of an error object in a stream that began well. */
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
  // Aggregators put the status they got themselves into `code`.
  const relayed = /\b[45]\d\d\b/u.exec(codes);
  if (relayed) return verdictOfStatus(Number(relayed[0]));
  if (/rate_limit/u.test(codes)) return { code: "rate_limited", retryable: true };
  if (/invalid_request/u.test(codes)) return { code: "invalid_request", retryable: false };
  return { code: "overloaded", retryable: true };
}
