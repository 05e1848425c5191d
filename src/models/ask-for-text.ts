import { storableText } from "#src/lib/storable-text.ts";
import { ModelError, type Model, type ModelRequest, type ModelUsage } from "#src/models/model.ts";

/** A text that the service itself asked a model for, and the tokens it used. */
export interface Said {
  text: string;
  usage: ModelUsage;
}

export interface Question {
  system: string;
  text: string;
  maxOutputTokens?: number;
}

/** The request that asks a question. */
export function requestOf({ system, text, maxOutputTokens }: Question): ModelRequest {
  return {
    system,
    messages: [{ role: "user", content: text }],
    tools: [],
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
}

/**
 * Asks a model one question without tools and returns its text. Throws `ModelError`, also when the answer is empty, and
 * the signal's reason when aborted.
 */
export async function askForText(model: Model, question: Question, signal: AbortSignal): Promise<Said> {
  for await (const event of model.stream(requestOf(question), signal)) {
    if (event.type !== "finished") continue;
    const answer = storableText(event.text).trim();
    if (answer === "") break;
    return { text: answer, usage: event.usage };
  }
  throw new ModelError("bad_response", `${model.provider} answered without a text`, { retryable: false });
}
