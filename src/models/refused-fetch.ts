import { jsonOrText } from "./error-body.ts";
import type { ModelError } from "./model.ts";
import type { FailedAnswer } from "./provider-failure.ts";

/**
 * Returns a `fetch` that throws an error response as `toError` converts it. The SDKs read only their own vendor's form,
 * and lose what any other says.
 */
export function refusedFetch(
  fetch: typeof globalThis.fetch,
  toError: (answer: FailedAnswer) => ModelError,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok) return response;
    const { status, headers } = response;
    throw toError({ status, headers, body: jsonOrText(await response.text()) });
  };
}
