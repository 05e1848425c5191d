import { AppError, type ErrorCode } from "./errors.ts";

/**
 * How a socket is closed: a code of RFC 6455 or one of the service's own (4000 and above), and a reason for programs.
 */
export interface Closing {
  code: number;
  reason: string;
}

export const ENDED: Closing = { code: 1000, reason: "ended" };
export const POLICY: Closing = { code: 1008, reason: "policy" };
export const FAILED: Closing = { code: 1011, reason: "internal" };
export const TRY_LATER: Closing = { code: 1013, reason: "try_again_later" };

const CLOSINGS: Partial<Record<ErrorCode, Closing>> = {
  unauthenticated: { code: 4401, reason: "auth_failed" },
  forbidden: { code: 4403, reason: "forbidden" },
  not_found: { code: 4404, reason: "not_found" },
  rate_limited: TRY_LATER,
  internal: FAILED,
  unavailable: FAILED,
};

/** How a socket is closed after an error. An error that the client can correct closes it normally. */
export function closingAfter(error: unknown): Closing {
  return error instanceof AppError ? (CLOSINGS[error.code] ?? ENDED) : FAILED;
}

/** The error as a sentence for the client. */
export function sentenceOf(error: unknown): string {
  return error instanceof AppError ? error.message : "Something went wrong; connect again";
}
