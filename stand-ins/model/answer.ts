import { randomBytes } from "node:crypto";
import type http from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { textOf, type ChatRequest } from "./conversation.ts";
import { piecesOf, type Turn } from "./turn.ts";

/** Sends one turn as a chat completion, streamed or whole, as the request asks. */
export async function sendTurn(
  turn: Turn,
  request: ChatRequest,
  response: http.ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  try {
    if (turn.first_delay_ms > 0) await pause(turn.first_delay_ms, undefined, { signal: gone.signal });
    await (request.stream
      ? sendStream(turn, request, response, gone.signal)
      : sendWhole(turn, request, response));
  } catch (error) {
    // The client disconnected during a pause.
    if (!gone.signal.aborted) throw error;
  }
}

async function sendStream(
  turn: Turn,
  request: ChatRequest,
  response: http.ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const common = { ...head(request), object: "chat.completion.chunk" };
  const event = (body: object) => `data: ${JSON.stringify({ ...common, ...body })}\n\n`;
  const delta = (change: object, finish_reason: string | null = null) =>
    event({ choices: [{ index: 0, delta: change, finish_reason, logprobs: null }] });

  const pieces = piecesOf(turn);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  let waiting = delta({ role: "assistant", content: pieces.length > 0 ? "" : null });
  for (const piece of pieces) {
    waiting += delta({ content: piece.replaceAll("{now}", () => String(Date.now())) });
    if (turn.delay_ms === 0) continue;
    response.write(waiting);
    waiting = "";
    await pause(turn.delay_ms, undefined, { signal: gone });
  }
  if (turn.stall) {
    response.write(waiting);
    return;
  }
  if (turn.garbage) {
    response.end(`${waiting}data: {"choices": [{"delta": \n\n`);
    return;
  }
  for (const [index, tool] of toolCalls(turn).entries()) {
    const { arguments: json, name } = tool.function;
    waiting += delta({ tool_calls: [{ ...tool, index, function: { name, arguments: "" } }] });
    // In two parts, because real providers never send arguments whole.
    for (const part of [json.slice(0, json.length / 2), json.slice(json.length / 2)]) {
      waiting += delta({ tool_calls: [{ index, function: { arguments: part } }] });
    }
  }
  waiting += delta({}, finishReason(turn));
  if (request.stream_options?.include_usage) {
    waiting += event({ choices: [], usage: usageOf(request, turn) });
  }
  response.end(`${waiting}data: [DONE]\n\n`);
}

async function sendWhole(turn: Turn, request: ChatRequest, response: http.ServerResponse): Promise<void> {
  if (turn.stall) return;
  response.writeHead(200, { "content-type": "application/json" });
  if (turn.garbage) {
    response.end("<html>Bad gateway</html>");
    return;
  }
  const calls = toolCalls(turn);
  const message = {
    role: "assistant",
    content: piecesOf(turn).join("") || null,
    refusal: null,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  response.end(
    JSON.stringify({
      ...head(request),
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: finishReason(turn), logprobs: null }],
      usage: usageOf(request, turn),
    }),
  );
}

function head({ model }: ChatRequest) {
  return { id: `chatcmpl-${randomBytes(12).toString("hex")}`, created: Math.floor(Date.now() / 1000), model };
}

function toolCalls({ tools }: Turn) {
  return tools.map((tool) => ({
    id: `call_${randomBytes(12).toString("hex")}`,
    type: "function",
    function: { name: tool.name, arguments: JSON.stringify(tool.arguments) },
  }));
}

function finishReason({ tools }: Turn): string {
  return tools.length > 0 ? "tool_calls" : "stop";
}

/** Estimates about four characters per token. */
function usageOf(request: ChatRequest, turn: Turn) {
  const prompt_tokens = tokens(request.messages.map(textOf).join(""));
  const completion_tokens = tokens(piecesOf(turn).join("") + JSON.stringify(turn.tools));
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}
