import { ModelError, type AnswerOptions } from "../model.ts";

/**
 * Refuses options that would change the answer and that this API does not have; a seed is only best effort and is
 * ignored. Throws a `ModelError` with the name of the field as programs send it.
 */
export function refuseUnserved(options: AnswerOptions | undefined, messages: readonly unknown[]): void {
  const { frequencyPenalty, presencePenalty, openAi = {} } = options ?? {};
  const fields = {
    frequency_penalty: frequencyPenalty || undefined,
    presence_penalty: presencePenalty || undefined,
    ...openAi,
  };
  const unserved = Object.entries(fields).find(([, value]) => value !== undefined);
  if (unserved)
    throw refused(`${unserved[0]}: Anthropic's protocol does not support this field, leave it out`);
  if (messages.length === 0) throw refused("messages: Anthropic's protocol needs a user message with a text");
}

function refused(sentence: string): ModelError {
  return new ModelError("invalid_request", sentence, { retryable: false });
}
