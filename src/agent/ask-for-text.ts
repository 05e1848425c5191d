import { storableText } from "#src/lib/storable-text.ts";
import { ModelError, type Model, type ModelRequest, type ModelUsage } from "#src/models/model.ts";

/** A text that the service itself asked a model for, and the tokens it used. */
export interface Said {
  text: string;
  usage: ModelUsage;
}

/**
 * Asks a model one question without tools and returns its text. Throws `ModelError`, also when the answer is empty, and
 * the signal's reason when aborted.
 */
export async function askForText(
  model: Model,
  { system, text, maxOutputTokens }: { system: string; text: string; maxOutputTokens?: number },
  signal: AbortSignal,
): Promise<Said> {
  const request: ModelRequest = {
    system,
    messages: [{ role: "user", content: text }],
    tools: [],
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
  for await (const event of model.stream(request, signal)) {
    if (event.type !== "finished") continue;
    const answer = storableText(event.text).trim();
    if (answer === "") break;
    return { text: answer, usage: event.usage };
  }
  throw new ModelError("bad_response", `${model.provider} answered without a text`, { retryable: false });
}
