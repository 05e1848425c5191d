import { once } from "node:events";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { LLMock } from "@copilotkit/aimock";
import { serve } from "#local/serve.ts";
import { answerRefusal } from "./strict/answer-refusal.ts";

/** The platform's key at the scripted providers. */
export const PROVIDER_KEY = "sk-test-0123456789abcdef";

/** How a provider is spoken to, and what the platform is told so that it asks the scripted one. */
export interface ModelWire {
  name: string;
  model: string;
  variables: (origin: string) => Record<string, string>;
  /** Frames that begin an answer with the text "Hel". */
  opening: string;
}

export const MODEL_WIRES: readonly ModelWire[] = [
  {
    name: "an OpenAI-compatible server",
    model: "gpt-5",
    variables: (origin) => ({ OPENAI_API_KEY: PROVIDER_KEY, OPENAI_BASE_URL: `${origin}/v1` }),
    opening: 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}\n\n',
  },
  {
    name: "an Anthropic-compatible server",
    model: "claude-sonnet-4-5",
    variables: (origin) => ({ ANTHROPIC_API_KEY: PROVIDER_KEY, ANTHROPIC_BASE_URL: origin }),
    opening: [
      '{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"m","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":1}}}',
      '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
      '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}',
    ]
      .map((data) => `event: message\ndata: ${data}\n\n`)
      .join(""),
  },
];

/** The received parts of one request. */
export interface ReceivedRequest {
  body: Record<string, unknown>;
  headers: IncomingHttpHeaders;
  response: ServerResponse;
  /** Resolves when the caller is gone, or everything was sent. */
  closed: Promise<unknown>;
}

/**
 * A scripted model with a door before it, which keeps what was asked. The door leaves messages with "hold on" open after the
 * first word, and breaks those with "break off" there.
 */
export async function startModelServer({ opening }: Pick<ModelWire, "opening">) {
  const mock = new LLMock({ port: 0, chunkSize: 5, logLevel: "silent" });
  const received: ReceivedRequest[] = [];
  await mock.start();
  const door = await serve(async (request, response) => {
    const sent = await text(request);
    received.push({
      body: JSON.parse(sent),
      headers: request.headers,
      response,
      closed: once(response, "close"),
    });
    if (answerRefusal(request.url ?? "", JSON.parse(sent), response)) return;
    const begins = sent.includes("hold on") || sent.includes("break off");
    if (begins) response.writeHead(200, { "content-type": "text/event-stream" }).write(opening);
    if (sent.includes("break off")) setImmediate(() => response.destroy());
    if (begins) return;
    const headers = { ...request.headers, host: "", connection: "close" };
    const answer = await fetch(mock.url + (request.url ?? ""), {
      method: "POST",
      body: sent,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  });
  return {
    origin: door.url,
    mock,
    received,
    async close() {
      for (const { response } of received) response.destroy();
      await door.close();
      await mock.stop();
    },
  };
}
