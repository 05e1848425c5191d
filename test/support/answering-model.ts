import { ModelError, type Model, type ModelEvent, type ModelRequest } from "#src/models/model.ts";

/** What the model says to a request; an error is thrown as it is. */
type Answer = (request: ModelRequest) => string | ModelError;

/** A model that answers in text, and what it was asked. */
export function answeringModel(answer: Answer, name = "answering") {
  const requests: ModelRequest[] = [];
  const model: Model = {
    name,
    provider: "test",
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      signal.throwIfAborted();
      requests.push(request);
      const said = answer(request);
      if (said instanceof ModelError) throw said;
      const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0, cacheWriteTokens: 0 };
      yield { type: "text_delta", text: said };
      yield { type: "finished", text: said, toolCalls: [], finishReason: "stop", usage };
    },
  };
  return { model, requests };
}

export function modelError(code: ConstructorParameters<typeof ModelError>[0], retryable = false): ModelError {
  return new ModelError(code, `the test says ${code}`, { retryable });
}

/** The text a model was asked with. */
export function questionOf(request: ModelRequest | undefined): string {
  const content = request?.messages.at(-1)?.content ?? "";
  return typeof content === "string" ? content : JSON.stringify(content);
}

export const never = () => new AbortController().signal;
