/** The SDK in a separate module, so that it is loaded through `import()` with the first call and not at start-up. */
import { APIConnectionError, APIError, OpenAI } from "openai";

export const errors = { APIConnectionError, APIError };

/**
 * Creates a client without retries, without logging (it would print chunks that it cannot parse), and without
 * credentials from environment variables.
 */
export function createClient(options: {
  apiKey: string;
  baseURL: string;
  fetch: typeof globalThis.fetch;
  headers: Record<string, string>;
}): OpenAI {
  return new OpenAI({
    apiKey: options.apiKey,
    baseURL: options.baseURL,
    fetch: options.fetch,
    defaultHeaders: options.headers,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: "off",
  });
}
