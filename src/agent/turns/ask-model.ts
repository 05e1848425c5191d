import { taskEvents } from "#src/domain/agent-work/tasks/index.ts";
import { storableText } from "#src/lib/storable-text.ts";
import { estimateUsage } from "#src/models/estimate-tokens.ts";
import { ModelError, type ModelEvent, type ModelMessage, type ModelUsage } from "#src/models/model.ts";
import { isRefusal } from "../context/within-window.ts";
import { scrubText, type KnownSecrets } from "../scrubbing/scrub.ts";
import { ScrubbedStream } from "../scrubbing/scrubbed-stream.ts";
import { headAndTail } from "../tools/bound-text.ts";
import type { TurnContext } from "./turn-context.ts";
import type { Answer } from "./turn-records.ts";

/** Most characters of a turn's thinking that are shown. */
const THOUGHT_CHARS = 20_000;

/** A model's answer, or what broke it off. */
export type Asked = { kind: "answered"; answer: Answer } | Broken;

/** What broke a turn off, and what it had come to. */
export interface Broken {
  kind: "broken";
  error: unknown;
  /**
   * Of the turn's model call: the provider's count, or an estimate when the call was stopped or failed in the middle.
   * Undefined when the model has done nothing.
   */
  usage: ModelUsage | undefined;
  /** All text of the model's answer that was shown. */
  said: string;
}

/** Asks the model until it answers or fails. */
export async function askModel(turn: TurnContext): Promise<Asked> {
  try {
    const known = await turn.secrets.known();
    let messages = await turn.request.window.messages();
    for (;;) {
      const asked = await readAnswer(turn, messages, known);
      // The provider refused before it sent any text: try again without pictures, or with a shorter conversation.
      if (asked.kind === "answered" || !isRefusal(asked.error)) return asked;
      messages = await turn.request.window.shrink(asked.error);
    }
  } catch (error) {
    return { kind: "broken", error, usage: undefined, said: "" };
  }
}

async function readAnswer(
  turn: TurnContext,
  messages: readonly ModelMessage[],
  known: KnownSecrets,
): Promise<Asked> {
  const { iteration } = turn;
  const { model, system, definitions, effort, seal } = turn.request;
  const { records, writer } = turn.log;
  const { signal } = turn.calls.tools;
  const request = { system, messages, tools: definitions, ...(effort && { effort }) };
  let shown = new ScrubbedStream(known);
  /** All that the model has written, shown or not. */
  let received = "";
  let said = "";
  const say = (text: string) => {
    writer.text(text);
    said += text;
  };
  signal.throwIfAborted();
  try {
    for await (const event of model.stream(request, signal)) {
      switch (event.type) {
        case "text_delta":
          received += event.text;
          say(shown.push(event.text));
          break;
        case "hidden_delta":
          received += event.text;
          break;
        case "restarted":
          shown = new ScrubbedStream(known);
          said = "";
          writer.add({ events: [taskEvents.turnRestarted(iteration, event.reason)] });
          break;
        case "finished": {
          say(shown.end());
          const isEmpty = event.text.trim() === "" && event.toolCalls.length === 0;
          if (isEmpty) say(emptyAnswer(event.finishReason));
          const answer = storableAnswer({
            ...event,
            text: isEmpty ? emptyAnswer(event.finishReason) : scrubText(event.text, known),
            thought: headAndTail(scrubText(event.thought ?? "", known), THOUGHT_CHARS),
            // Without calls no further turn needs the kept part.
            kept: event.kept && event.toolCalls.length > 0 ? await seal(event.kept) : null,
          });
          // From here on the answer stands: a later executor continues with its calls and does not ask again. Without
          // calls the turn is over, and its end is written at once.
          writer.add({ records: [records.recordAnswer(answer)] });
          if (answer.toolCalls.length > 0) await writer.flush();
          return { kind: "answered", answer };
        }
      }
    }
  } catch (error) {
    const isUnsent = error instanceof ModelError && error.code === "insufficient_credits";
    const isUsed = received !== "" || (signal.aborted && !isUnsent);
    return {
      kind: "broken",
      error,
      usage: isUsed ? estimateUsage(request, { text: received }) : undefined,
      said,
    };
  }
  const error = new ModelError("bad_response", "The model's answer ended without its end", {
    retryable: false,
  });
  return { kind: "broken", error, usage: undefined, said };
}

/** Replaces an answer that has neither text nor a call, because people and programs expect a text. */
function emptyAnswer(reason: Answer["finishReason"]): string {
  if (reason === "length")
    return "The model reached the greatest length of its answer before it said anything.";
  if (reason === "content_filter")
    return "The model's answer was held back by the content filter of its provider.";
  return "The model ended its work without a word. Ask again, or ask for what is missing.";
}

function storableAnswer({
  text,
  thought,
  kept,
  toolCalls,
  finishReason,
  usage,
}: Omit<Extract<ModelEvent, { type: "finished" }>, "kept" | "thought"> &
  Pick<Answer, "kept" | "thought">): Answer {
  const storable = toolCalls.map((call) => ({
    id: storableText(call.id),
    name: storableText(call.name),
    arguments: storableText(call.arguments),
  }));
  return { text: storableText(text), thought, kept, toolCalls: storable, finishReason, usage };
}
