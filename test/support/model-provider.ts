import { text } from "node:stream/consumers";
import { LLMock, type ChatCompletionRequest } from "@copilotkit/aimock";
import { serve } from "#local/serve.ts";
import { answerRefusal } from "./strict/answer-refusal.ts";

/** A call as the provider saw it. */
export interface ProviderCall {
  path: string;
  /** Headers by name, in lower case. */
  headers: Record<string, string>;
  /** The name of the model that was asked for. */
  model: string;
}

export interface ModelProviderServer {
  url: string;
  calls: ProviderCall[];
  /** Awaited before a call is answered; `status` answers it with an error that quotes the key, `location` with a redirect. */
  before: ((call: ProviderCall) => Promise<unknown> | { status: number } | { location: string }) | undefined;
  close(): Promise<void>;
}

const resultsIn = ({ messages }: ChatCompletionRequest) =>
  messages.filter(({ role }) => role === "tool").length;

/**
 * A provider of models that speaks both protocols and keeps what it was sent. To a message with `two turns` it answers with a
 * call of a tool, then with `The work is done.`; to any other with `Hello.`
 */
export async function startModelProvider(): Promise<ModelProviderServer> {
  const mock = new LLMock({ port: 0, chunkSize: 5, logLevel: "silent" });
  const usage = { prompt_tokens: 10, completion_tokens: 5, input_tokens: 10, output_tokens: 5 };
  mock.on(
    { userMessage: "two turns", predicate: (request) => resultsIn(request) === 0 },
    {
      toolCalls: [{ id: "call_0", name: "write_file", arguments: '{"path":"a.txt","content":"a"}' }],
      usage,
    },
  );
  mock.onMessage("two turns", { content: "The work is done.", usage });
  mock.onMessage(/./u, { content: "Hello.", usage });
  await mock.start();

  const provider: ModelProviderServer = { url: "", calls: [], before: undefined, close: async () => {} };
  const door = await serve(async (request, response) => {
    const body = await text(request);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const call = { path: request.url ?? "", headers, model: String(JSON.parse(body).model) };
    provider.calls.push(call);
    if (answerRefusal(call.path, JSON.parse(body), response)) return;
    const instead = await provider.before?.(call);
    if (instead && typeof instead === "object" && "location" in instead) {
      response.writeHead(307, { location: String(instead.location) }).end();
      return;
    }
    if (instead && typeof instead === "object" && "status" in instead) {
      const message = `Incorrect API key: ${headers["authorization"] ?? ""}${headers["x-api-key"] ?? ""}`;
      response.writeHead(Number(instead.status), { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { type: "authentication_error", message } }));
      return;
    }
    const forwarded = Object.entries(headers).filter(([name]) => !["host", "connection"].includes(name));
    const path = call.path.endsWith("/messages") ? "/v1/messages" : "/v1/chat/completions";
    const answer = await fetch(mock.url + path, {
      method: "POST",
      body,
      headers: Object.fromEntries(forwarded),
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  });
  provider.url = door.url;
  provider.close = async () => {
    await door.close();
    await mock.stop();
  };
  return provider;
}
