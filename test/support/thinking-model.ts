import { text } from "node:stream/consumers";
import { serve } from "#local/serve.ts";
import { answerRefusal } from "./strict/answer-refusal.ts";

/** A block of an answer on Anthropic's wire. */
export type AnswerBlock =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: Record<string, unknown> };

export interface MessagesBody {
  messages: { role: string; content: (AnswerBlock | { type: "tool_result" })[] }[];
  tools?: unknown[];
  [field: string]: unknown;
}

/** A server of Anthropic's messages. The answer to a request is that of the user's words in it, by how many turns there were. */
export async function startThinkingModel(script: Readonly<Record<string, readonly AnswerBlock[][]>>) {
  /** Requests for turns. */
  const received: MessagesBody[] = [];
  const server = await serve(async (request, response) => {
    const body: MessagesBody = JSON.parse(await text(request));
    if (answerRefusal(request.url ?? "", body, response)) return;
    const turns = body.messages.filter(({ role }) => role === "assistant").length;
    const said = JSON.stringify(body.messages[0]?.content);
    // What the service itself asks, such as a title, comes without tools and is no turn of the script.
    const [, answers] = Object.entries(script).find(([words]) => body.tools && said.includes(words)) ?? [];
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (answers) received.push(body);
    response.end(framesOf(answers?.[turns] ?? [{ type: "text", text: "Hello there" }]));
  });
  return { origin: server.url, received, close: () => server.close() };
}

function framesOf(blocks: readonly AnswerBlock[]): string {
  const calls = blocks.some(({ type }) => type === "tool_use");
  const usage = { input_tokens: 10, output_tokens: 25 };
  return [
    { type: "message_start", message: { usage } },
    ...blocks.flatMap((block, index) => [
      { type: "content_block_start", index, content_block: startOf(block) },
      ...deltasOf(block).map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: calls ? "tool_use" : "end_turn" }, usage },
    { type: "message_stop" },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
}

function startOf(block: AnswerBlock): unknown {
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  if (block.type === "text") return { type: "text", text: "" };
  return block.type === "tool_use" ? { ...block, input: {} } : block;
}

function deltasOf(block: AnswerBlock): unknown[] {
  switch (block.type) {
    case "thinking":
      return [
        ...halves(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature },
      ];
    case "text":
      return halves(block.text).map((piece) => ({ type: "text_delta", text: piece }));
    case "tool_use":
      return halves(JSON.stringify(block.input)).map((json) => ({
        type: "input_json_delta",
        partial_json: json,
      }));
    case "redacted_thinking":
    default:
      return [];
  }
}

function halves(whole: string): string[] {
  const middle = Math.floor(whole.length / 2);
  return [whole.slice(0, middle), whole.slice(middle)];
}
