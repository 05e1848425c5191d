import type { Stripe } from "stripe";
import { AppError } from "#src/lib/errors.ts";

const RETRY_AFTER_SECONDS = 5;

/**
 * The error of a call for our caller. The SDK's errors carry headers and bodies, so the cause names only what Stripe calls
 * the failure.
 */
export function paymentFailure(error: unknown, known: Stripe.errors.StripeError | undefined): AppError {
  const cause = new Error(known ? describe(known) : `No answer of Stripe's: ${String(error)}`);
  // The same call is under way.
  if (known?.statusCode === 409) return busy(cause);
  switch (known?.type ?? "none") {
    case "StripeConnectionError": {
      return new AppError("unavailable", "The payment provider did not answer in time", {
        cause,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    case "StripeRateLimitError": {
      return busy(cause);
    }
    case "StripeAuthenticationError":
    case "StripePermissionError": {
      return new AppError("unavailable", "The payment provider refused this installation's key", { cause });
    }
    case "StripeInvalidRequestError":
    case "StripeIdempotencyError":
    case "StripeCardError": {
      return new AppError("provider_failed", "The payment provider refused the request", { cause });
    }
    default: {
      return new AppError("provider_failed", "The payment provider failed", { cause });
    }
  }
}

function busy(cause: Error): AppError {
  return new AppError("unavailable", "The payment provider is busy. Try again in a moment", {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

function describe({ type, statusCode, code, param, requestId, message }: Stripe.errors.StripeError): string {
  return [type, statusCode, code, param, requestId, message].filter((part) => part !== undefined).join(" ");
}
