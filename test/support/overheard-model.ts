import { buffer } from "node:stream/consumers";
import { z } from "zod";
import { serve } from "#local/serve.ts";
import { answerRefusal } from "./strict/answer-refusal.ts";

const Asked = z.object({
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).default([]),
});

/** What a model was asked. */
export interface Overheard {
  /** Names of the tools that it was offered. */
  tools: string[];
  /** The whole request. */
  text: string;
}

export interface OverheardModel {
  /** Stand before a model's server: the address to use instead of its own. */
  before(url: string): string;
  /** Requests so far. */
  requests: readonly Overheard[];
  close(): Promise<void>;
}

/** Notes what the service sends to a model, and passes it on. */
export async function overheardModel(): Promise<OverheardModel> {
  let target = new URL("http://127.0.0.1:9");
  const requests: Overheard[] = [];
  const { url, close } = await serve(async (request, response) => {
    const body = await buffer(request);
    const text = body.toString();
    const tools = Asked.parse(JSON.parse(text)).tools.map((each) => each.function.name);
    requests.push({ tools, text });
    if (answerRefusal(request.url ?? "", JSON.parse(text), response)) return;
    const answer = await fetch(new URL(request.url ?? "/", target), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    for await (const part of answer.body ?? []) response.write(part);
    response.end();
  });
  return {
    before(address) {
      target = new URL(address);
      return url + target.pathname.replace(/^\/$/u, "");
    },
    requests,
    close,
  };
}
