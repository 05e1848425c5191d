import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { serve } from "#local/serve.ts";
import type { ModelWire } from "./model-servers.ts";
import { answerRefusal } from "./strict/answer-refusal.ts";

/** The parts of a response. */
export interface RawAnswer {
  text?: readonly string[];
  /** Pieces of the arguments of one call of `write_file`. */
  call?: readonly string[];
  /** As the provider counts: the field is left out where it is absent. */
  usage?: { input: unknown; output: unknown };
  /** Awaited before it begins. */
  after?: Promise<unknown>;
}

/** A response: frames of the wire, or one that a test writes itself. */
type Answer = RawAnswer | ((response: ServerResponse) => void);

export interface RawProvider {
  origin: string;
  /** The requests, and whether the caller hung up before the end. */
  asked: { body: Record<string, unknown>; headers: Record<string, unknown>; hungUp: boolean }[];
  close(): Promise<void>;
}

/** A provider that sends faulty responses: the first of `answers` whose key is contained in the request. */
export async function startRawProvider(
  { name }: Pick<ModelWire, "name">,
  answers: Readonly<Record<string, Answer>>,
): Promise<RawProvider> {
  const frames = name.includes("Anthropic") ? anthropicFrames : openAiFrames;
  const asked: RawProvider["asked"] = [];
  const door = await serve(async (request, response) => {
    const sent = await text(request);
    const call = { body: JSON.parse(sent), headers: request.headers, hungUp: false };
    asked.push(call);
    response.on("close", () => (call.hungUp = !response.writableFinished));
    if (answerRefusal(request.url ?? "", call.body, response)) return;
    const word = Object.keys(answers).find((each) => sent.includes(each));
    const answer = (word !== undefined && answers[word]) || {};
    if (typeof answer === "function") return answer(response);
    await answer.after;
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of frames(answer)) {
      if (response.destroyed) return;
      if (!response.write(toLines(frame))) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    response.end();
  });
  return { origin: door.url, asked, close: () => door.close() };
}

type Frame = Record<string, unknown> | string;

function toLines(frame: Frame): string {
  if (typeof frame === "string") return `data: ${frame}\n\n`;
  const { type } = frame;
  const event = typeof type === "string" ? `event: ${type}\n` : "";
  return `${event}data: ${JSON.stringify(frame)}\n\n`;
}

const chunk = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});

function* openAiFrames({ text: pieces = [], call, usage }: RawAnswer): Generator<Frame> {
  for (const content of pieces) yield chunk({ content });
  const begun = { index: 0, id: "call_1", type: "function", function: { name: "write_file", arguments: "" } };
  if (call) yield chunk({ tool_calls: [begun] });
  for (const piece of call ?? []) yield chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
  yield chunk({}, call ? "tool_calls" : "stop");
  if (usage) yield { choices: [], usage: { prompt_tokens: usage.input, completion_tokens: usage.output } };
  yield "[DONE]";
}

function* anthropicFrames({ text: pieces = [], call, usage }: RawAnswer): Generator<Frame> {
  const message = { id: "m", type: "message", role: "assistant", content: [], model: "m" };
  yield { type: "message_start", message: { ...message, usage: usage && { input_tokens: usage.input } } };
  yield { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
  for (const piece of pieces) {
    yield { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: piece } };
  }
  const begun = { type: "tool_use", id: "toolu_1", name: "write_file", input: {} };
  if (call) yield { type: "content_block_start", index: 1, content_block: begun };
  for (const piece of call ?? []) {
    const delta = { type: "input_json_delta", partial_json: piece };
    yield { type: "content_block_delta", index: 1, delta };
  }
  const delta = { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null };
  yield { type: "message_delta", delta, usage: usage && { output_tokens: usage.output } };
  yield { type: "message_stop" };
}
