import { z } from "zod";
import {
  beginCompletion,
  CompletionBody,
  toChunks,
  toCompletion,
  type Completion,
  type Heading,
} from "#src/domain/models/model-proxy/index.ts";
import { dataFrame, jsonFrame, KEEP_ALIVE } from "#src/lib/server-sent-events.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { openAiError } from "#src/http/errors.ts";
import { text } from "#src/http/schemas.ts";
import { AppError } from "#src/lib/errors.ts";
import { within } from "#src/lib/time-limit.ts";
import type { Log } from "#src/platform/log/log.ts";

/** Large, because conversations carry pictures. */
const BODY_LIMIT = 24 * 1024 * 1024;

const ToolCall = z.object({
  id: z.string(),
  type: z.literal("function"),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const FinishReason = z.enum(["stop", "length", "tool_calls", "content_filter"]);

const Usage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int() }),
});

const ChatCompletion = z.object({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int().describe("Seconds since 1970"),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.object({
        role: z.literal("assistant"),
        content: z.string().nullable(),
        refusal: z.null(),
        tool_calls: z.array(ToolCall).optional(),
      }),
      logprobs: z.null(),
      finish_reason: FinishReason,
    }),
  ),
  usage: Usage,
});

/** The data of one event. For the API reference only: the stream is not validated. */
const ChatCompletionChunk = z.object({
  id: z.string(),
  object: z.literal("chat.completion.chunk"),
  created: z.int().describe("Seconds since 1970"),
  model: z.string(),
  choices: z
    .array(
      z.object({
        index: z.int(),
        delta: z.object({
          role: z.literal("assistant").optional(),
          content: z.string().optional(),
          tool_calls: z.array(ToolCall.extend({ index: z.int() })).optional(),
        }),
        logprobs: z.null(),
        finish_reason: FinishReason.nullable(),
      }),
    )
    .describe("Empty in the chunk that reports the usage"),
  usage: Usage.nullish().describe("With `stream_options.include_usage`: in the last chunk"),
});

export const chatCompletions = endpoint({
  operationId: "createChatCompletion",
  method: "post",
  path: "/api/v1/chat/completions",
  summary: "Create a chat completion",
  description: "Compatible with clients of OpenAI's API.",
  tag: "Models for programs",
  access: { key: "models.proxy" },
  errorStyle: "openai",
  bodyLimit: BODY_LIMIT,
  example: { model: "demo", messages: [{ role: "user", content: "Hello" }] },
  body: CompletionBody.extend({
    model: text({ min: 1, max: 300 }).describe(
      "A model of the platform, or `<provider>/<name>` on the key owner's own key of that provider",
    ),
  }),
  response: {
    status: 200,
    schema: ChatCompletion,
    streamed: ChatCompletionChunk,
    description:
      "The answer; or Server-Sent Events with a chunk in each `data:` line and `data: [DONE]` at the end. A failure in the middle is a line with an `error`.",
  },
  refusals: [402, 502],
  async handler({ services, caller: { userId, teamId }, body: { model, ...body }, request, waitUntil }) {
    const hangUp = new AbortController();
    request.signal.addEventListener("abort", () => hangUp.abort(), { once: true });
    if (request.signal.aborted) hangUp.abort();
    const wish = { model, body, signal: hangUp.signal, waitUntil };
    const completion = await beginCompletion(services, { userId, teamId }, wish);
    const heading = {
      id: `chatcmpl-${crypto.randomUUID().replaceAll("-", "")}`,
      created: Math.floor(Date.now() / 1000),
      model,
    };
    if (!(body.stream ?? streamsByDefault(request))) return toCompletion(heading, completion);
    const withUsage = body.stream_options?.include_usage === true;
    return streamed(toLines(heading, completion, { withUsage, log: services.log }), hangUp);
  },
});

/**
 * Existing clients omit `stream` and expect a stream. OpenAI's own clients omit it when they want none, and then accept
 * only JSON.
 */
function streamsByDefault({ headers }: Request): boolean {
  return headers.get("accept")?.trim().toLowerCase() !== "application/json";
}

async function* toLines(
  heading: Heading,
  events: Completion,
  { withUsage, log }: { withUsage: boolean; log: Log },
): AsyncGenerator<string, void, undefined> {
  try {
    for await (const chunk of toChunks(heading, events, { withUsage })) yield jsonFrame(chunk);
  } catch (error) {
    const known = error instanceof AppError ? error : new AppError("internal", "The stream broke off");
    if (known.status >= 500) log.warn("model stream broke off", { cause: error });
    yield jsonFrame({ error: { ...openAiError(known), type: "proxy_error" } });
  }
  yield dataFrame("[DONE]");
}

/**
 * Silence after which `KEEP_ALIVE` is sent. A runtime that notices a disconnect only when it writes notices it within
 * this time.
 */
const HEARTBEAT_MS = 5000;

/** Streams the lines as Server-Sent Events, and ends the model call when the client disconnects. */
function streamed(lines: AsyncGenerator<string, void, undefined>, hangUp: AbortController): Response {
  const encoder = new TextEncoder();
  let pending: Promise<IteratorResult<string, void>> | undefined;
  // After the abort the pending line fails, and the part of the call so far is charged.
  hangUp.signal.addEventListener("abort", () => void lines.return(), { once: true });
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const line = (await within(HEARTBEAT_MS, (pending ??= lines.next())))?.value;
        if (line) pending = undefined;
        if (line?.done) controller.close();
        else controller.enqueue(encoder.encode(line?.value ?? KEEP_ALIVE));
      },
      cancel: () => hangUp.abort(),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: { "Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache" },
  });
}
