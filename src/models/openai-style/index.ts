import type { OpenAI } from "openai";
import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { errorInFrame } from "../error-body.ts";
import { withOwnParts } from "../own-parts.ts";
import { ModelError, type Model } from "../model.ts";
import { alternating } from "./alternating.ts";
import { badResponse, type AnswerOrigin } from "../provider-failure.ts";
import { readChunks } from "../read-chunks.ts";
import { refusedFetch } from "../refused-fetch.ts";
import { callIds } from "../tool-calls.ts";
import { needsBreakpoints } from "./breakpoints.ts";
import { idRuleOf } from "./id-rules.ts";
import { isJson, StreamEnd } from "./stream-end.ts";
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
  const send = refusedFetch(fetch, (answer) => toError(origin, answer));
  return {
    name: model,
    provider,
    async *stream(asked, signal) {
      const { createClient, errors } = await import("./client.ts");
      const end = new StreamEnd();
      const client = createClient({ apiKey, baseURL, fetch: end.watching(send), headers });
      const request = withOwnParts(asked, { provider, model });
      const body = toRequest(model, request, limitField, {
        cacheBreakpoints: needsBreakpoints(provider, model),
        ids: idRuleOf(model, hostname),
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
      const { tools, messages } = request;
      yield* toEvents(chunks, { origin, tools, toId: callIds(messages), keep, isDone: () => end.isReached });
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
  origin: AnswerOrigin,
): Promise<AsyncIterable<unknown>> {
  const ask = (messages: typeof body.messages) =>
    client.chat.completions.create({ ...body, messages }, { signal }).withResponse();
  const { data, response } = await ask(body.messages).catch((error: unknown) => {
    if (!wantsAlternation(error)) throw error;
    return ask(alternating(body.messages));
  });
  return isJson(response) ? wholeAnswer(await response.text(), origin) : data;
}

/**
 * Whether a server's chat template takes only conversations that alternate. OpenAI's own API takes others, and so most
 * messages go out as they were written.
 */
function wantsAlternation(error: unknown): boolean {
  // The SDK takes what its `fetch` throws for a failed connection, with the refusal as the cause.
  const refusal = error instanceof Error ? error.cause : undefined;
  return (
    refusal instanceof ModelError && /roles? must alternate|alternate user\/assistant/iu.test(refusal.message)
  );
}

/** Yields the response of a server that ignores `stream: true` as one chunk. */
async function* wholeAnswer(text: string, origin: AnswerOrigin): AsyncGenerator {
  const body = safeParseJson(text, z.unknown())?.value;
  const completion = Completion.safeParse(body).data;
  if (errorInFrame(body) !== undefined) yield body;
  else if (!completion) throw badResponse(origin, "sent a response that does not follow its protocol");
  else {
    const choices = completion.choices?.map(({ message, ...choice }) => ({ ...choice, delta: message }));
    yield { usage: completion.usage, choices };
  }
}
