import { LLMock } from "@copilotkit/aimock";
import { TITLE_PROMPT } from "#src/agent/chats/chat-title.ts";
import { textOf } from "#test/support/remembering-model.ts";

/** One answer of the model. */
export interface Turn {
  readonly text: string;
  readonly calls?: readonly { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }[];
}

/** What a person asks, and what comes of it. */
export interface Talk {
  readonly question: string;
  readonly title: string;
  /** None where the model refuses. */
  readonly turns: readonly Turn[];
  /** Between two words, for an answer that is still being written when a screenshot is taken. */
  readonly delayMs?: number;
}

/** A model that answers known questions as they are scripted, under an OpenAI-compatible address. */
export async function startModel(talks: readonly Talk[]) {
  const mock = new LLMock({ port: 0, logLevel: "silent", chunkSize: 12 });
  const talkOf = (text: string) => talks.find(({ question }) => text.includes(question));
  const slow = talks.filter(({ delayMs }) => delayMs !== undefined);
  for (const { question, turns, delayMs = 0 } of slow) {
    const isAsked = (messages: Parameters<typeof textOf>[0][]) =>
      textOf(messages.findLast((message) => message?.role === "user")).includes(question) &&
      textOf(messages[0]) !== TITLE_PROMPT;
    mock.on(
      { predicate: ({ messages }) => isAsked(messages) },
      { content: turns[0]?.text ?? "" },
      { latency: delayMs },
    );
  }
  mock.on({ predicate: () => true }, ({ messages }) => {
    const asked = messages.findLastIndex(({ role }) => role === "user");
    const talk = talkOf(textOf(messages[asked]));
    if (textOf(messages[0]) === TITLE_PROMPT) return { content: talk?.title ?? "A question" };
    if (talk?.turns.length === 0)
      return { status: 400, error: { message: "The model does not take this request.", code: "invalid" } };
    const turn = talk?.turns[messages.slice(asked).filter(({ role }) => role === "assistant").length];
    const calls = turn?.calls ?? [];
    return {
      content: turn?.text ?? "Done.",
      usage: { prompt_tokens: 18_000, completion_tokens: 700 },
      ...(calls.length > 0 && {
        toolCalls: calls.map(({ tool, args }) => ({ name: tool, arguments: JSON.stringify(args) })),
      }),
    };
  });
  await mock.start();
  return {
    variables: { DEFAULT_MODEL: "gpt-5.1", OPENAI_API_KEY: "sk-none", OPENAI_BASE_URL: `${mock.url}/v1` },
    close: () => mock.stop(),
  };
}
