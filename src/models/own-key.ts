import { ModelError, type Model } from "./model.ts";
import { withoutKey } from "./without-key.ts";

/** Shorter values are not treated as secrets: removing them would damage words. */
const MIN_SECRET_CHARS = 8;

/**
 * Wraps a model that is called with a user's own key: errors about the key or its account say whose key it is.
 * `secrets` are removed from all errors.
 */
export function withOwnKey(model: Model, own: { label: string; secrets: readonly string[] }): Model {
  return {
    name: model.name,
    provider: model.provider,
    async *stream(request, signal) {
      try {
        yield* model.stream(request, signal);
      } catch (error) {
        throw error instanceof ModelError ? ofOwnKey(error, own) : error;
      }
    },
  };
}

function ofOwnKey(error: ModelError, { label, secrets }: { label: string; secrets: readonly string[] }) {
  const message = secrets
    .filter((secret) => secret.length >= MIN_SECRET_CHARS)
    .reduce(withoutKey, error.message);
  return new ModelError(error.code, sentenceOf(error.code, label, message), {
    retryable: error.retryable,
    retryAfterMs: error.retryAfterMs,
    cause: error.cause,
  });
}

function sentenceOf(code: ModelError["code"], label: string, message: string): string {
  if (code === "unauthorized") {
    return `${label} refused your own API key (${message}): check or replace it in your settings`;
  }
  return code === "quota_exhausted"
    ? `The account of your own API key at ${label} has nothing left to spend (${message})`
    : message;
}
