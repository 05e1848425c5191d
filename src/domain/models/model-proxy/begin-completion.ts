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

/** To be read to its end, or ended with `return()`. Throws `AppError`. */
export type Completion = AsyncGenerator<ModelEvent, void, undefined>;

/**
 * Ask a model for what a client of OpenAI's API wants, until its first event is there: what is wrong before is an error of
 * its own and no broken stream. Throws `invalid_input` for a model or a key that is not there, `insufficient_credits`,
 * `rate_limited` and `provider_failed`.
 */
export async function beginCompletion(
  deps: ChooseModelDeps,
  payer: Payer,
  wish: {
    model: string;
    body: CompletionBody;
    /** Aborted when nobody wants the answer any more. */
    signal: AbortSignal;
    /** Is given what ends once the call is over and paid for, whoever has gone by then. */
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

/** The events, with failures as the caller is told of them; one who has hung up hears nothing of it. */
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
    // Ended before `rest` was asked again, it has to be ended from here.
    await rest.return();
  }
}
