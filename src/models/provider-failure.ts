import { AppError } from "#src/lib/errors.ts";
import { headOf } from "#src/lib/head-of.ts";
import { storableText } from "#src/lib/storable-text.ts";
import { ModelError, type ModelErrorCode } from "./model.ts";
import { withoutKey } from "./without-key.ts";

/** The provider of a call. The key is included only to remove it from errors that echo it. */
export interface AnswerOrigin {
  provider: string;
  apiKey: string;
}

/** A failure as received; `status` is absent for an error object inside a stream that began with 200. */
export interface FailedAnswer {
  status: number | undefined;
  /** The JSON value of the body, or its text. */
  body: unknown;
  headers: Headers | undefined;
}

export interface Verdict {
  code: ModelErrorCode;
  retryable: boolean;
}

/** Returns the meaning of a status, if the body says nothing more precise. */
export function verdictOfStatus(status: number): Verdict {
  if (status === 401) return { code: "unauthorized", retryable: false };
  if (status === 403) return { code: "forbidden", retryable: false };
  if (status === 402) return { code: "quota_exhausted", retryable: false };
  if (status === 413) return { code: "context_too_long", retryable: false };
  if (status === 429) return { code: "rate_limited", retryable: true };
  if (status === 408 || status === 409 || status >= 500) return { code: "overloaded", retryable: true };
  return { code: "invalid_request", retryable: false };
}

/** Most UTF-16 units kept of a provider's sentence. */
const SENTENCE_CHARS = 300;

/**
 * Builds the error for the agent. It contains the provider's own sentence, which names the parameter or limit, as
 * storable text; but not for a refused key, where vendors quote parts of the key.
 */
export function failure(
  { provider, apiKey }: AnswerOrigin,
  verdict: Verdict,
  answer: FailedAnswer,
  sentence: string | undefined,
): ModelError {
  const what = answer.status === undefined ? "broke off with an error" : `answered ${answer.status}`;
  const isTold = verdict.code !== "unauthorized" && sentence;
  const detail = isTold ? `: ${headOf(storableText(withoutKey(sentence, apiKey)), SENTENCE_CHARS)}` : "";
  return new ModelError(verdict.code, `${provider} ${what}${detail}`, {
    // Both vendors use this header to override the status.
    retryable: verdict.retryable && answer.headers?.get("x-should-retry") !== "false",
    retryAfterMs: verdict.retryable ? retryAfterMs(answer.headers, Date.now()) : undefined,
  });
}

/**
 * Returns the wait that a server requests, in milliseconds: `retry-after-ms` (both vendors), otherwise `Retry-After` in
 * seconds or as a date (RFC 9110, 10.2.3). Undefined without a usable value.
 */
function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  const ms = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (ms >= 0) return ms;
  const text = headers?.get("retry-after") ?? "";
  const seconds = Number(text);
  if (text !== "" && seconds >= 0) return seconds * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/**
 * The request got no response, or the response broke off. A `fetch` that refuses an address permanently throws its own
 * error.
 */
export function connectionFailure({ provider }: AnswerOrigin, cause: unknown): ModelError {
  if (cause instanceof AppError && !cause.retryable) {
    return new ModelError("invalid_request", `${provider} cannot be called: ${cause.message}`, {
      retryable: false,
      cause,
    });
  }
  return new ModelError("connection", `The connection to ${provider} failed`, { retryable: true, cause });
}

/** The response did not follow the protocol. Retried, because the usual cause is a proxy in between. */
export function badResponse({ provider }: AnswerOrigin, what: string, cause?: unknown): ModelError {
  return new ModelError("bad_response", `${provider} ${what}`, { retryable: true, cause });
}
