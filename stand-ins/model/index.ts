import { createHash } from "node:crypto";
import type http from "node:http";
import { text } from "node:stream/consumers";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { serve } from "#local/serve.ts";
import { sendTurn } from "./answer.ts";
import { ChatRequest, momentOf } from "./conversation.ts";
import { recordingIn, transcriptOf } from "./transcript.ts";
import { decideTurn } from "./turn.ts";

/** Conversations whose failures are counted; the oldest is dropped first. */
const COUNTED = 1000;

/**
 * The `demo` model: OpenAI's chat completions, including the list of models, from a script (`turn.ts`), and its
 * transcriptions (`transcript.ts`). Its answers depend only on the request; only the number of scripted errors is
 * stored. `url` ends in `/v1`.
 */
export async function startDemoModel(): Promise<{ url: string; close: () => Promise<void> }> {
  const failures = new Map<string, number>();
  const { url, close } = await serve(async (request, response) => {
    const route = `${request.method} ${new URL(request.url ?? "/", "http://localhost").pathname}`;
    if (route === "POST /v1/chat/completions") await complete(request, response, failures);
    else if (route === "POST /v1/audio/transcriptions") await transcribe(request, response);
    else if (route === "GET /v1/models") {
      const model = { id: "demo", object: "model", created: 0, owned_by: "local" };
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ object: "list", data: [model] }));
    } else fail(response, 404, `The demo model has no ${route}`);
  });
  return { url: `${url}/v1`, close };
}

async function complete(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  failures: Map<string, number>,
): Promise<void> {
  const body = await text(request);
  const chat = safeParseJson(body, ChatRequest)?.value;
  if (!chat) {
    fail(response, 400, "The body is not a chat completion request");
    return;
  }
  const turn = decideTurn(momentOf(chat));
  if (turn.error && count(failures, chat) <= (turn.error.times ?? Infinity)) {
    fail(response, turn.error.status, "The script asks for this error");
    return;
  }
  await sendTurn(turn, chat, response);
}

async function transcribe(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const recording = await recordingIn(request);
  if (!recording) {
    fail(response, 400, "The body is not a transcription request");
    return;
  }
  const transcript = transcriptOf(recording);
  if (transcript.error) {
    fail(response, transcript.error.status, "The recording asks for this error");
    return;
  }
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ text: transcript.text }));
}

/** Returns how often this conversation was sent, including this time. */
function count(failures: Map<string, number>, { messages }: ChatRequest): number {
  const key = createHash("sha256").update(JSON.stringify(messages)).digest("hex");
  const times = (failures.get(key) ?? 0) + 1;
  failures.set(key, times);
  const oldest = failures.keys().next();
  if (failures.size > COUNTED && !oldest.done) failures.delete(oldest.value);
  return times;
}

function fail(response: http.ServerResponse, status: number, message: string): void {
  const type = status === 429 ? "rate_limit_error" : status < 500 ? "invalid_request_error" : "server_error";
  response
    .writeHead(status, { "content-type": "application/json" })
    .end(JSON.stringify({ error: { message, type, param: null, code: null } }));
}
