/** The SDK in a separate module, so that it is loaded through `import()` with the first call and not at start-up. */
import { APIConnectionError, APIError, BaseAnthropic } from "@anthropic-ai/sdk";
import { Messages } from "@anthropic-ai/sdk/resources/messages";

export const errors = { APIConnectionError, APIError };

/**
 * The messages resource on the base client, as Anthropic's own Bedrock and Vertex packages build it: the full client
 * contains every resource and more than doubles the bundle. Without retries, logging and tracing.
 */
export function createMessages(options: {
  apiKey: string;
  isBearer: boolean;
  baseURL: string;
  fetch: typeof globalThis.fetch;
  headers: Record<string, string>;
}): Messages {
  const client = new BaseAnthropic({
    apiKey: options.apiKey,
    baseURL: options.baseURL,
    fetch: options.fetch,
    // The header that the API reference requires and compatible servers accept; the SDK would send a bearer token.
    // https://docs.anthropic.com/en/api/overview
    defaultHeaders: { ...credentials(options), ...options.headers },
    webhookKey: null,
    openTelemetry: false,
    maxRetries: 0,
    logLevel: "off",
  });
  return new Messages(client);
}

function credentials({ apiKey, isBearer }: { apiKey: string; isBearer: boolean }) {
  return isBearer ? { authorization: `Bearer ${apiKey}` } : { authorization: null, "x-api-key": apiKey };
}
