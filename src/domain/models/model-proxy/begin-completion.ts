import {
  chooseFundedModel,
  type ChooseModelDeps,
  type ChosenModel,
} from "#src/domain/models/model-keys/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { ModelEvent } from "#src/models/model.ts";
import { meteredCall, type Payer } from "./metered-call.ts";
import { toFailure } from "./to-failure.ts";
import { toRequest } from "./to-request.ts";
import type { CompletionBody } from "./wire.ts";

/** Read to the end, or end with `return()`. Throws `AppError`. */
export type Completion = AsyncGenerator<ModelEvent, void, undefined>;

/**
 * Calls a model for a client of OpenAI's API, and waits for the first event, so that errors before it become an HTTP
 * status and not a broken stream. Throws `invalid_input` for an unknown model or a missing key, `insufficient_credits`,
 * `rate_limited` and `provider_failed`.
 */
export async function beginCompletion(
  deps: ChooseModelDeps,
  payer: Payer,
  wish: {
    model: string;
    body: CompletionBody;
    /** Aborted when the client has disconnected. */
    signal: AbortSignal;
    /**
     * Receives a promise that settles once the call has ended and is charged, even after the client has disconnected.
     */
    waitUntil: (settled: Promise<void>) => void;
  },
): Promise<Completion> {
  const request = toRequest(wish.body);
  const chosen = await chooseFundedModel(deps, payer, wish.model);
  const { promise: settled, resolve } = Promise.withResolvers<void>();
  const events = failingAs(
    { chosen, ...wish },
    meteredCall(deps, payer, { ...wish, chosen, request }),
    resolve,
  );
  wish.waitUntil(settled);
  return startingWith(await events.next(), events);
}

/** The events, with errors converted for the caller; no error after the client has disconnected. */
async function* failingAs(
  { chosen, signal }: { chosen: ChosenModel; signal: AbortSignal },
  events: AsyncGenerator<ModelEvent, void, undefined>,
  onEnd: () => void,
): AsyncGenerator<ModelEvent, void, undefined> {
  try {
    yield* events;
  } catch (error) {
    if (signal.aborted) throw new AppError("invalid_input", "The client has disconnected", { cause: error });
    throw toFailure(error, chosen);
  } finally {
    onEnd();
  }
}

async function* startingWith<T>(
  first: IteratorResult<T, void>,
  rest: AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    // If the generator ends before `rest` is read again, `rest` must be ended here.
    await rest.return();
  }
}
