import { withIdleWatchdog } from "./idle-watchdog.ts";
import { ModelError } from "./model.ts";

/**
 * Most MiB of one raw response: the frames around each word are much larger than the words, which `AnswerBound` counts.
 * Below the limit of a guarded `fetch`, which cuts without an error.
 */
const MAX_MIB = 60;

/**
 * Returns the `fetch` for a provider: watched for silence, bounded, and without redirects, which would send the
 * conversation and perhaps the key to another server. Fails with a `ModelError` that describes the problem.
 */
export function providerFetch(
  fetch: typeof globalThis.fetch,
  { provider, stallMs }: { provider: string; stallMs: number },
): typeof globalThis.fetch {
  const watched = withIdleWatchdog(fetch, { stallMs });
  return async (input, init) => {
    const response = await watched(input, { ...init, redirect: "manual" });
    const refusal = refusalOf(response, provider);
    if (refusal) {
      await response.body?.cancel();
      throw refusal;
    }
    return response.body ? new Response(bounded(response.body, provider), response) : response;
  };
}

/** Returns an error for responses that an SDK would not report clearly. */
function refusalOf({ ok, status, headers }: Response, provider: string): ModelError | undefined {
  if (status >= 300 && status < 400) {
    const sentence = `${provider} answered ${status}, a redirect, which is not followed: check its base URL`;
    return new ModelError("invalid_request", sentence, { retryable: false });
  }
  // Retried: the page may come from a gateway with a temporary problem.
  if (ok && headers.get("content-type")?.includes("text/html")) {
    const sentence = `${provider} answered with a web page: check its base URL, which often ends in /v1`;
    return new ModelError("bad_response", sentence, { retryable: true });
  }
  return undefined;
}

function bounded(body: ReadableStream<Uint8Array>, provider: string): ReadableStream<Uint8Array> {
  let bytes = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(part, controller) {
        bytes += part.byteLength;
        if (bytes <= MAX_MIB * 1024 * 1024) controller.enqueue(part);
        else {
          const sentence = `${provider} sent an answer of more than ${MAX_MIB} MiB, which was cut off`;
          controller.error(new ModelError("bad_response", sentence, { retryable: false }));
        }
      },
    }),
  );
}
