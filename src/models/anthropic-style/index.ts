import { withBoundParts } from "../own-parts.ts";
import type { Model } from "../model.ts";
import { readChunks } from "../read-chunks.ts";
import { refusedFetch } from "../refused-fetch.ts";
import { callIds } from "../tool-calls.ts";
import { refuseUnserved } from "./refuse-unserved.ts";
import { toError } from "./to-error.ts";
import { toEvents } from "./to-events.ts";
import { toRequest } from "./to-request.ts";
import { StreamEvent } from "./wire.ts";

export interface AnthropicStyleConfig {
  /** Recorded with the usage and named in errors. */
  provider: string;
  model: string;
  /** Without `/v1/messages`, e.g. `https://api.anthropic.com`; a `/v1` at the end is optional. */
  baseURL: string;
  apiKey: string;
  /** Whether the key is sent as a bearer token, as OAuth tokens are, instead of `x-api-key`. */
  isBearer?: boolean;
  fetch: typeof globalThis.fetch;
  headers?: Record<string, string>;
}

/** A model on any server with Anthropic's messages API. */
export function createAnthropicStyleModel(config: AnthropicStyleConfig): Model {
  const { provider, model, apiKey, isBearer = false, fetch, headers = {} } = config;
  const baseURL = config.baseURL.replace(/\/v1\/?$/u, "");
  const origin = { provider, apiKey };
  const send = refusedFetch(fetch, (answer) => toError(origin, answer));
  return {
    name: model,
    provider,
    async *stream(asked, signal) {
      const { createMessages, errors } = await import("./client.ts");
      // https://platform.claude.com/docs/en/build-with-claude/preserved-thinking
      const { request, prefix } = withBoundParts(asked, { provider, model });
      const messages = createMessages({ apiKey, isBearer, baseURL, fetch: send, headers });
      const body = toRequest(model, request);
      refuseUnserved(request.options, body.messages);
      const events = readChunks({
        open: async () => messages.create(body, { signal }),
        schema: StreamEvent,
        signal,
        errors,
        origin,
        toError,
      });
      const keep = (content: unknown) => ({ provider, model, prefix, content });
      const { tools, messages: said } = request;
      yield* toEvents(events, { origin, tools, toId: callIds(said), keep });
    },
  };
}
