import type { OpenAI } from "openai";
import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { withOwnParts } from "../own-parts.ts";
import type { Model } from "../model.ts";
import { badResponse, type Origin } from "../provider-failure.ts";
import { readChunks } from "../read-chunks.ts";
import { callIds } from "../tool-calls.ts";
import { needsBreakpoints } from "./breakpoints.ts";
import { toError } from "./to-error.ts";
import { toEvents } from "./to-events.ts";
import { toRequest, type LimitField } from "./to-request.ts";
import { toThinking } from "./to-thinking.ts";
import { Chunk, Completion } from "./wire.ts";

export interface OpenAiStyleConfig {
  /** Recorded with the usage and named in errors. */
  provider: string;
  model: string;
  /** Without `/chat/completions`, e.g. `https://api.openai.com/v1`. */
  baseURL: string;
  apiKey: string;
  fetch: typeof globalThis.fetch;
  headers?: Record<string, string>;
}

const OPENAI = "api.openai.com";

/** A model on any server with OpenAI's chat completions: OpenAI, OpenRouter, vLLM, a user's own. */
export function createOpenAiStyleModel(config: OpenAiStyleConfig): Model {
  const { provider, model, baseURL, apiKey, fetch, headers = {} } = config;
  const origin = { provider, apiKey };
  const { hostname } = new URL(baseURL);
  const isOpenAi = hostname === OPENAI;
  const limitField = limitFieldOf(model, hostname);
  return {
    name: model,
    provider,
    async *stream(asked, signal) {
      const { createClient, errors } = await import("./client.ts");
      const client = createClient({ apiKey, baseURL, fetch, headers });
      const request = withOwnParts(asked, { provider, model });
      const body = toRequest(model, request, limitField, {
        cacheBreakpoints: needsBreakpoints(provider, model),
        thinking: toThinking(isOpenAi ? OPENAI : provider, model, {
          effort: request.effort,
          withTools: request.tools.length > 0,
        }),
      });
      const chunks = readChunks({
        open: () => openStream(client, body, signal, origin),
        schema: Chunk,
        signal,
        errors,
        origin,
        toError,
      });
      const keep = (content: unknown) => ({ provider, model, prefix: null, content });
      yield* toEvents(chunks, { origin, toId: callIds(request.messages), keep });
    },
  };
}

/** Models that refuse `max_tokens` on every host. Source: https://platform.openai.com/docs/guides/reasoning */
const REASONING_MODELS = /(^|\/)(o[134](-|$)|gpt-5)/u;

function limitFieldOf(model: string, host: string): LimitField {
  return host === "api.openai.com" || REASONING_MODELS.test(model) ? "max_completion_tokens" : "max_tokens";
}

async function openStream(
  client: OpenAI,
  body: ChatCompletionCreateParamsStreaming,
  signal: AbortSignal,
  origin: Origin,
): Promise<AsyncIterable<unknown>> {
  const { data, response } = await client.chat.completions.create(body, { signal }).withResponse();
  const streamed = !response.headers.get("content-type")?.includes("json");
  return streamed ? data : wholeAnswer(await response.text(), origin);
}

/** Yields the response of a server that ignores `stream: true` as one chunk. */
async function* wholeAnswer(text: string, origin: Origin): AsyncGenerator<Chunk> {
  const completion = safeParseJson(text, Completion)?.value;
  if (!completion) throw badResponse(origin, "sent a response that does not follow its protocol");
  const { choices, usage, error } = completion;
  if (error) throw toError(origin, { status: undefined, body: error, headers: undefined });
  yield { usage, choices: choices?.map(({ message, finish_reason }) => ({ delta: message, finish_reason })) };
}
