import { ModelError, type Model } from "./model.ts";
import { withoutKey } from "./without-key.ts";

/** Shorter values are not treated as secrets: removing them would damage words. */
const MIN_SECRET_CHARS = 8;

/** A user's own account, as errors name it. */
export interface OwnName {
  label: string;
  /** Removed from all errors, and so are parts of it. */
  apiKey: string;
  /** Values of headers, removed from all errors. */
  headers: readonly string[];
}

/**
 * Wraps a model that is called with a user's own key: errors about the key or its account say whose key it is, and
 * contain no secret.
 */
export function withOwnKey(model: Model, own: OwnName): Model {
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

/** A text without the key, parts of it, and the values of headers. */
export function withoutOwnSecrets(text: string, { apiKey, headers }: Omit<OwnName, "label">): string {
  const told = headers.filter(isSecret).reduce((rest, value) => rest.replaceAll(value, "***"), text);
  return isSecret(apiKey) ? withoutKey(told, apiKey) : told;
}

function ofOwnKey(error: ModelError, own: OwnName) {
  const message = withoutOwnSecrets(error.message, own);
  return new ModelError(error.code, sentenceOf(error.code, own.label, message), {
    retryable: error.retryable,
    retryAfterMs: error.retryAfterMs,
    cause: error.cause,
  });
}

function isSecret(value: string): boolean {
  return value.length >= MIN_SECRET_CHARS;
}

function sentenceOf(code: ModelError["code"], label: string, message: string): string {
  if (code === "unauthorized") {
    return `${label} refused your own API key (${message}): check or replace it in your settings`;
  }
  return code === "quota_exhausted"
    ? `The account of your own API key at ${label} has nothing left to spend (${message})`
    : message;
}
