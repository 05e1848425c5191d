import { AppError } from "#src/lib/errors.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { handlerOf, type HandlerDeps } from "./handlers.ts";
import { eventById, noteFailure, settleEvent, type StoredEvent } from "./queries.ts";
import { handling } from "./receive-event.ts";

export interface HandleDeps extends HandlerDeps {
  queue: Queue;
  log: Log;
}

/** Seconds to wait after each failed attempt; about 40 minutes in all. Afterwards the hourly sweep takes over. */
const PAUSES = [10, 60, 300, 2_000] as const;

/**
 * Handles a stored event: reads the object that it names from the provider and applies what is true now. Order, repetition
 * and age of events do not matter. A failed attempt publishes the next one; the last fails the event. Throws `unavailable`
 * when the next attempt could not be published.
 */
export async function handleEvent(deps: HandleDeps, eventId: string): Promise<void> {
  const [event] = await eventById(deps.db, eventId);
  if (event?.status !== "received") return;
  try {
    await settleEvent(deps.db, eventId, await apply(deps, event));
  } catch (error) {
    await retryLater(deps, event, error);
  }
}

async function apply(deps: HandlerDeps, { type, objectId }: StoredEvent): Promise<"done" | "ignored"> {
  const handler = handlerOf(type);
  if (!handler || objectId === null) return "ignored";
  return (await handler(deps, objectId)) ? "done" : "ignored";
}

async function retryLater({ db, queue, log }: HandleDeps, event: StoredEvent, cause: unknown): Promise<void> {
  const { id, type } = event;
  const delaySeconds = PAUSES[event.attempts];
  const isFinal = cause instanceof AppError && !cause.retryable;
  const isLast = isFinal || delaySeconds === undefined;
  const error = cause instanceof AppError ? cause.message : "The service failed";
  const attempts = await noteFailure(db, id, { error, isLast });
  log[isLast ? "error" : "warn"]("a payment event was not handled", { event: id, type, attempts, cause });
  if (!isLast) await queue.publish({ ...handling(id, attempts), delaySeconds });
}
