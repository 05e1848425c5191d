import { ModelError, type Model } from "./model.ts";

/** Longest wait, whatever the provider requests: the waiting step has its own deadline. */
const MAX_DELAY_MS = 30_000;

export interface RetryOptions {
  /** Attempts after the first. */
  maxRetries: number;
  /** Wait before the first retry, in milliseconds; doubles with each. */
  baseDelayMs: number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Returns a number in [0, 1), like `Math.random`. */
  random?: () => number;
}

/**
 * Retries a model's retryable failures, at most `maxRetries` times; then throws the last error. If the failed attempt
 * had already streamed text, `restarted` follows at once, with the number of the next attempt, so that a reader
 * discards it before the wait.
 */
export function withRetries(model: Model, options: RetryOptions): Model {
  const { maxRetries, baseDelayMs, sleep = pause, random = Math.random } = options;
  return {
    name: model.name,
    provider: model.provider,
    async *stream(request, signal) {
      for (let attempt = 1; ; attempt += 1) {
        let streamed = false;
        let failure: ModelError;
        try {
          for await (const event of model.stream(request, signal)) {
            streamed ||= event.type === "text_delta";
            yield event;
          }
          return;
        } catch (error) {
          const again = error instanceof ModelError && error.retryable && attempt <= maxRetries;
          if (!again || signal.aborted) throw error;
          failure = error;
        }
        if (streamed) yield { type: "restarted", attempt: attempt + 1, reason: failure.message };
        const backoff = baseDelayMs * 2 ** (attempt - 1) * (0.5 + random() / 2);
        await sleep(Math.min(MAX_DELAY_MS, Math.max(backoff, failure.retryAfterMs ?? 0)), signal);
      }
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
