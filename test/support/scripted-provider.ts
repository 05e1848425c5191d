import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { z } from "zod";
import { serve } from "#local/serve.ts";
import { answerRefusal } from "./strict/answer-refusal.ts";

/** A block of an answer, as Anthropic's wire has them. */
export type AnswerBlock =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: Record<string, unknown> };

/** The parts of a response. */
interface ScriptedAnswer {
  text?: readonly string[];
  /** Pieces of the arguments of one call of `write_file`. */
  call?: readonly string[];
  /** Calls of tools. */
  calls?: readonly { name: string; arguments: object }[];
  /** Instead of all of these, for Anthropic's wire. */
  blocks?: readonly AnswerBlock[];
  /** As the provider counts: the field is left out where it is absent. */
  usage?: { input: unknown; output: unknown };
  /** Awaited before it begins. */
  after?: Promise<unknown>;
  /** What becomes of the connection after the text. */
  stops?: "hold" | "break";
  /** A refusal in its place. */
  refusal?: { status: number; message: string; retryAfter?: number };
}

/** A response: frames of the wire, or one that a test writes itself. */
type Answer = ScriptedAnswer | ((response: ServerResponse) => void);

/** Answers by words of the requests. */
export type Script = Readonly<Record<string, Answer | readonly Answer[]>>;

const Message = z.looseObject({ role: z.string(), content: z.unknown() });
type Message = z.infer<typeof Message>;
const Body = z.looseObject({ messages: z.array(Message) });

export interface ScriptedRequest {
  path: string;
  body: Record<string, unknown>;
  messages: Message[];
  headers: Record<string, unknown>;
  /** The caller hung up before the end. */
  hungUp: boolean;
  /** Resolves when the caller is gone, or everything was sent. */
  closed: Promise<unknown>;
}

export interface ScriptedProvider {
  origin: string;
  asked: ScriptedRequest[];
  /** Says what a call gets; nothing leaves it to the script. */
  instead: ((call: ScriptedRequest) => Promise<Answer | undefined>) | undefined;
  close(): Promise<void>;
}

/**
 * The scripted provider: it speaks the wire that it is asked in, refuses what its vendor would refuse, and otherwise sends the
 * first of `answers` whose key is in the request. A list has one for each turn of the model since the key was said; the last one
 * is also for all later turns.
 */
export async function startScriptedProvider(answers: Script): Promise<ScriptedProvider> {
  const asked: ScriptedRequest[] = [];
  const door = await serve(async (request, response) => {
    const sent = await textOf(request);
    const body = Body.parse(JSON.parse(sent));
    const { messages } = body;
    const closed = once(response, "close");
    const path = request.url ?? "";
    const call = { path, body, messages, headers: request.headers, hungUp: false, closed };
    asked.push(call);
    response.on("close", () => (call.hungUp = !response.writableFinished));
    if (answerRefusal(path, body, response)) return;
    const word = Object.keys(answers).find((each) => sent.includes(each));
    const scripted = (word !== undefined && answers[word]) || {};
    const instead = await provider.instead?.(call);
    const turn = isList(scripted) ? Math.min(turnOf(messages, word ?? ""), scripted.length - 1) : 0;
    const answer = instead ?? (isList(scripted) ? (scripted[turn] ?? {}) : scripted);
    if (typeof answer === "function") return answer(response);
    await answer.after;
    if (answer.refusal) return refuse(response, answer.refusal);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of path.endsWith("/messages") ? anthropicFrames(answer) : openAiFrames(answer)) {
      if (response.destroyed) return;
      if (!response.write(toLines(frame))) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    if (answer.stops === "break") setImmediate(() => response.destroy());
    if (!answer.stops) response.end();
  });
  const provider: ScriptedProvider = {
    origin: door.url,
    asked,
    instead: undefined,
    close: () => door.close(),
  };
  return provider;
}

function refuse(
  response: ServerResponse,
  { status, message, retryAfter }: NonNullable<ScriptedAnswer["refusal"]>,
) {
  const wait = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  response.writeHead(status, { "content-type": "application/json", ...wait });
  response.end(JSON.stringify({ error: { type: "refused", message } }));
}

/** How many turns the model had since it was last told this word. */
function turnOf(messages: readonly Message[], word: string): number {
  const question = messages.findLastIndex(
    ({ role, content }) => role === "user" && JSON.stringify(content).includes(word),
  );
  return messages.slice(question).filter(({ role }) => role === "assistant").length;
}

const isList = (scripted: Answer | readonly Answer[]): scripted is readonly Answer[] =>
  Array.isArray(scripted);

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

/** The calls of an answer, each as the pieces of its arguments. */
function callsOf({ call, calls = [] }: ScriptedAnswer) {
  const whole = calls.map(({ name, arguments: args }) => ({ name, pieces: halves(JSON.stringify(args)) }));
  return call ? [{ name: "write_file", pieces: call }, ...whole] : whole;
}

function halves(whole: string): string[] {
  const middle = Math.floor(whole.length / 2);
  return [whole.slice(0, middle), whole.slice(middle)];
}

function* openAiFrames(answer: ScriptedAnswer): Generator<Frame> {
  const calls = callsOf(answer);
  for (const content of answer.text ?? []) yield chunk({ content });
  if (answer.stops) return;
  for (const [index, { name, pieces }] of calls.entries()) {
    const begun = { index, id: `call_${index + 1}`, type: "function", function: { name, arguments: "" } };
    yield chunk({ tool_calls: [begun] });
    for (const piece of pieces) yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  yield chunk({}, calls.length > 0 ? "tool_calls" : "stop");
  const { usage } = answer;
  if (usage) yield { choices: [], usage: { prompt_tokens: usage.input, completion_tokens: usage.output } };
  yield "[DONE]";
}

function* anthropicFrames(answer: ScriptedAnswer): Generator<Frame> {
  const { usage, text = [], blocks } = answer;
  const message = { id: "m", type: "message", role: "assistant", content: [], model: "m" };
  yield { type: "message_start", message: { ...message, usage: usage && { input_tokens: usage.input } } };
  const parts = blocks ? blocks.map(partOf) : plainParts(text, callsOf(answer));
  for (const [index, { start, deltas }] of parts.entries()) {
    yield { type: "content_block_start", index, content_block: start };
    for (const delta of deltas) yield { type: "content_block_delta", index, delta };
    if (answer.stops) return;
    yield { type: "content_block_stop", index };
  }
  const calls = parts.some(({ start }) => start.type === "tool_use");
  const delta = { stop_reason: calls ? "tool_use" : "end_turn", stop_sequence: null };
  yield { type: "message_delta", delta, usage: usage && { output_tokens: usage.output } };
  yield { type: "message_stop" };
}

interface Part {
  start: { type: string; [field: string]: unknown };
  deltas: object[];
}

const texts = (pieces: readonly string[]) => pieces.map((text) => ({ type: "text_delta", text }));
const inputs = (pieces: readonly string[]) =>
  pieces.map((partial_json) => ({ type: "input_json_delta", partial_json }));

function plainParts(text: readonly string[], calls: ReturnType<typeof callsOf>): Part[] {
  const said = { start: { type: "text", text: "" }, deltas: texts(text) };
  return [
    said,
    ...calls.map(({ name, pieces }, place) => ({
      start: { type: "tool_use", id: `toolu_${place + 1}`, name, input: {} },
      deltas: inputs(pieces),
    })),
  ];
}

function partOf(block: AnswerBlock): Part {
  if (block.type === "text") return { start: { ...block, text: "" }, deltas: texts(halves(block.text)) };
  if (block.type === "tool_use")
    return { start: { ...block, input: {} }, deltas: inputs(halves(JSON.stringify(block.input))) };
  if (block.type === "redacted_thinking") return { start: block, deltas: [] };
  const { thinking, signature } = block;
  const thought = halves(thinking).map((piece) => ({ type: "thinking_delta", thinking: piece }));
  const start = { type: "thinking", thinking: "", signature: "" };
  return { start, deltas: [...thought, { type: "signature_delta", signature }] };
}
