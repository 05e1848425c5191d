import { LLMock, type ChatCompletionRequest, type ChatMessage } from "@copilotkit/aimock";
import { SUMMARY_PROMPT } from "#src/agent/prompts/summary.ts";
import { TITLE_PROMPT } from "#src/agent/chats/chat-title.ts";
import { estimateText, estimateTokens } from "#src/models/estimate-tokens.ts";
import type { ModelMessage } from "#src/models/model.ts";

/** A request as the model got it. */
export interface Heard {
  kind: "agent" | "summary" | "title";
  /** Tokens as the service estimates them. */
  estimate: number;
  /** The same counted from the wire alone: four characters each. */
  counted: number;
  messages: ChatMessage[];
}

/** What the model says as the agent; nothing to refuse the conversation as too long. */
export type Said = { content: string; command?: string } | undefined;

/**
 * A model that says what the script says, notes what it was asked, and whose summaries are the lines with `fact:` that it was
 * shown, each once, after some talk. `results` are those of the calls it has made since the last question.
 */
export async function startRememberingModel(script: (question: string, results: number) => Said) {
  const mock = new LLMock({ port: 0, logLevel: "silent", chunkSize: 2_000 });
  const heard: Heard[] = [];
  mock.on({ predicate: () => true }, (request) => {
    const { messages } = request;
    const kind = kindOf(messages);
    const counted = count(request);
    heard.push({ kind, estimate: estimate(request), counted, messages });
    const answer = (content: string) => ({
      content,
      usage: { prompt_tokens: counted, completion_tokens: Math.ceil(content.length / 4) },
    });
    const asked = messages.findLastIndex(({ role }) => role === "user");
    const question = textOf(messages[asked]);
    if (kind === "title") return answer("A long talk");
    if (kind === "summary")
      return answer(`${"We talked of this and that. ".repeat(20)}\n${factsIn(question)}`);
    const results = messages.slice(asked).filter(({ role }) => role === "tool").length;
    const said = script(question, results);
    if (!said) return { status: 400, error: { message: "Too long", code: "context_length_exceeded" } };
    if (said.command === undefined) return answer(said.content);
    const call = { id: `call_${heard.length}`, name: "bash_exec" };
    const toolCalls = [{ ...call, arguments: JSON.stringify({ command: said.command }) }];
    return { ...answer(said.content), toolCalls };
  });
  await mock.start();
  return { url: mock.url, heard, close: () => mock.stop() };
}

/** Ids of calls without a result right after them, and of results without their call. */
export function unpaired(messages: readonly ChatMessage[]): string[] {
  let open: string[] = [];
  const alone: string[] = [];
  for (const { role, tool_calls: calls, tool_call_id: id = "" } of messages) {
    if (role === "tool" && open.includes(id)) open = open.filter((each) => each !== id);
    else if (role === "tool") alone.push(id);
    else {
      alone.push(...open);
      open = (calls ?? []).map((call) => call.id);
    }
  }
  return [...alone, ...open];
}

export function textOf(message: ChatMessage | undefined): string {
  const { content = "" } = message ?? {};
  return typeof content === "string" ? content : JSON.stringify(content ?? "");
}

function kindOf([system]: readonly ChatMessage[]): Heard["kind"] {
  const prompt = textOf(system);
  if (prompt === SUMMARY_PROMPT) return "summary";
  return prompt === TITLE_PROMPT ? "title" : "agent";
}

function factsIn(text: string): string {
  return [...new Set(text.match(/fact: .*/gu))].join("\n");
}

function count({ messages, tools = [] }: ChatCompletionRequest): number {
  const texts = messages.flatMap((message) => [
    textOf(message),
    ...(message.tool_calls ?? []).map(({ function: call }) => call.name + call.arguments),
  ]);
  const chars = [...texts, JSON.stringify(tools)].reduce((sum, each) => sum + each.length, 0);
  return Math.ceil(chars / 4);
}

function estimate({ messages, tools = [] }: ChatCompletionRequest): number {
  const listed = tools.length > 0 ? estimateText(JSON.stringify(tools)) : 0;
  return listed + estimateTokens({ system: "", tools: [], messages: messages.map(toModelMessage) });
}

function toModelMessage(message: ChatMessage): ModelMessage {
  const { role, tool_calls: calls, tool_call_id: callId = "" } = message;
  const content = textOf(message);
  if (role === "tool") return { role, callId, name: "", content, isError: false };
  if (role !== "assistant") return { role: "user", content };
  const toolCalls = (calls ?? []).map(({ id, function: call }) => ({ id, ...call }));
  return { role, content, toolCalls };
}
