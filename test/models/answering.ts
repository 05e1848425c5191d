import { tools } from "#src/agent/tools/index.ts";
import { createAnthropicStyleModel } from "#src/models/anthropic-style/index.ts";
import { toRequest as toAnthropic } from "#src/models/anthropic-style/to-request.ts";
import type { Model, ModelEvent, ModelMessage, ModelRequest } from "#src/models/model.ts";
import { createOpenAiStyleModel } from "#src/models/openai-style/index.ts";
import { toRequest as toOpenAi } from "#src/models/openai-style/to-request.ts";
import { refusedByAnthropic } from "#test/support/strict/anthropic.ts";
import { refusedByOpenAi } from "#test/support/strict/openai.ts";

export type Wire = "openai" | "anthropic";

/** A model of a wire whose server answers with a response. */
export function modelAnswering(wire: Wire, answer: () => Response, model = "m"): Model {
  const create = wire === "openai" ? createOpenAiStyleModel : createAnthropicStyleModel;
  return create({
    provider: "own",
    model,
    baseURL: "https://models.test/v1",
    apiKey: "sk-own-key-of-a-test-0123",
    fetch: async () => answer(),
  });
}

/** Frames of a stream as a server sends them: JSON texts, the end mark, or comments. */
export function toStream(frames: readonly string[]): string {
  return frames.map(toFrame).join("");
}

function toFrame(frame: string): string {
  return frame.startsWith(":") ? `${frame}\n\n` : `event: ${eventOf(frame)}\ndata: ${frame}\n\n`;
}

function eventOf(frame: string): string {
  return /"type":"([a-z_]+)"/u.exec(frame)?.[1] ?? "message";
}

export function streamOf(text: string): Response {
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

/** A question with the agent's own tools. */
const question: ModelRequest = {
  system: "You are a test.",
  messages: [{ role: "user", content: "go" }],
  tools: tools.map(({ definition }) => definition),
};

const never = () => new AbortController().signal;

/** What a model says to the question: the text, the length of what is counted and not shown, and the last event. */
export async function said(model: Model, request = question) {
  const events = await Array.fromAsync(model.stream(request, never()));
  const hidden = events.map((event) => (event.type === "hidden_delta" ? event.text : "")).join("");
  return { shown: shownIn(events), hidden: hidden.length, finished: finishedIn(events) };
}

function shownIn(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === "text_delta" ? event.text : "")).join("");
}

function finishedIn(events: readonly ModelEvent[]) {
  const last = events.at(-1);
  if (last?.type !== "finished") throw new Error("The answer has no end");
  return last;
}

type Finished = Awaited<ReturnType<typeof said>>["finished"];

/** A conversation that goes on after an answer. */
export function goingOn({ text, toolCalls, kept }: Finished): ModelRequest {
  const messages: ModelMessage[] = [
    ...question.messages,
    { role: "assistant", content: text, toolCalls, ...(kept && { kept }) },
    ...toolCalls.map(({ id, name }): ModelMessage => ({
      role: "tool",
      callId: id,
      name,
      content: "done",
      isError: false,
    })),
    { role: "user", content: "go on" },
  ];
  return { ...question, messages };
}

/** Why a provider would refuse a conversation that goes on after an answer, on each wire; empty if none would. */
export function refusalsAfter(finished: Finished): string[] {
  const request = goingOn(finished);
  const openAi = refusedByOpenAi(toOpenAi("m", request, "max_tokens"));
  const anthropic = refusedByAnthropic(toAnthropic("m", request));
  return [openAi ?? [], anthropic ?? []].flat();
}
